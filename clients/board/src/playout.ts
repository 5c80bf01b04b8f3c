/** Lines played out for the eye. Rules are kifud's; this only puts stones down and takes what has no liberty left. */
import type { Color } from './state';
import { parseVertex, type Point } from './vertex';

export interface Played {
  /** Rows of stones as in `record/board`. */
  readonly stones: readonly string[];
  /** The stones of the line that still stand, or were taken again: the first number of each point. */
  readonly placed: readonly { readonly point: Point; readonly color: Color; readonly number: number; readonly stands: boolean }[];
  /** Moves that were played: fewer than asked for when one does not fit the board. */
  readonly plies: number;
}

export type PlayOut = (stones: readonly string[], color: Color, moves: readonly string[]) => Played;

const SIGN: Record<Color, string> = { B: 'X', W: 'O' };

/** Plays a line until its end, or until a move that is off the board or on a stone. */
export const playOut: PlayOut = (stones, color, moves) => {
  const rows = stones.map((row) => [...row]);
  const columns = rows[0]?.length ?? 0;
  const first = new Map<number, { point: Point; color: Color; number: number }>();
  let mover = color;
  let plies = 0;
  for (const move of moves) {
    if (move.toLowerCase() !== 'pass') {
      const point = parseVertex(move, columns, rows.length);
      if (!point || rows[point.y]![point.x] !== '.') {
        break;
      }
      put(rows, point, SIGN[mover]);
      const index = point.y * columns + point.x;
      if (!first.has(index)) {
        first.set(index, { point, color: mover, number: plies + 1 });
      }
    }
    plies += 1;
    mover = mover === 'B' ? 'W' : 'B';
  }
  const placed = [...first.values()].map((stone) => ({ ...stone, stands: rows[stone.point.y]![stone.point.x] === SIGN[stone.color] }));
  return { stones: rows.map((row) => row.join('')), placed, plies };
};

function put(rows: string[][], point: Point, sign: string): void {
  rows[point.y]![point.x] = sign;
  for (const next of neighbours(point)) {
    const other = rows[next.y]?.[next.x];
    if (other && other !== '.' && other !== sign) {
      takeWithoutLiberty(rows, next);
    }
  }
  takeWithoutLiberty(rows, point);
}

function neighbours({ x, y }: Point): Point[] {
  return [
    { x: x - 1, y },
    { x: x + 1, y },
    { x, y: y - 1 },
    { x, y: y + 1 },
  ];
}

/** Removes the chain at a point unless an empty point touches it. */
function takeWithoutLiberty(rows: string[][], start: Point): void {
  const sign = rows[start.y]![start.x]!;
  const width = rows[0]!.length;
  const seen = new Set([start.y * width + start.x]);
  const chain = [start];
  for (let next = 0; next < chain.length; next += 1) {
    for (const point of neighbours(chain[next]!)) {
      const there = rows[point.y]?.[point.x];
      if (there === '.') {
        return;
      }
      if (there === sign && !seen.has(point.y * width + point.x)) {
        seen.add(point.y * width + point.x);
        chain.push(point);
      }
    }
  }
  for (const { x, y } of chain) {
    rows[y]![x] = '.';
  }
}
