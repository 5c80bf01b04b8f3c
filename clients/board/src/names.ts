/** What boards and points are called when they are read out. */
import { decimal } from './heat';
import { analysisOf, type GoState, type View, type XiangqiState } from './state';
import { colorAt } from './stones';
import { parseMove, type Point, squareName, vertexName } from './vertex';
import { words } from './words';

/** Notes on points, in the order in which they are said. */
class Notes {
  private readonly found = new Map<string, string[]>();

  add(at: string, note: string): void {
    const notes = this.found.get(at);
    notes ? notes.push(note) : this.found.set(at, [note]);
  }

  of(at: string): readonly string[] {
    return this.found.get(at) ?? [];
  }
}

export function goName(state: GoState, view: View): string {
  const say = words(view.language);
  const { stones, toPlay } = state.board;
  return [say.goBoard(stones[0]?.length ?? 0, stones.length), ...(toPlay ? [say.toPlay[toPlay]] : [])].join(say.join);
}

/** `D4 black stone, last move, triangle`. */
export function goNames(state: GoState, view: View): (point: Point) => string {
  const say = words(view.language);
  const { stones } = state.board;
  const notes = goNotes(state, view);
  return (point) => {
    const vertex = vertexName(point, stones.length);
    const color = colorAt(stones, point);
    const thing = color === 'B' ? say.black : color === 'W' ? say.white : say.empty;
    return [`${vertex} ${thing}`, ...notes.of(vertex)].join(say.join);
  };
}

function goNotes(state: GoState, view: View): Notes {
  const say = words(view.language);
  const notes = new Notes();
  const { markup: marks, lastMove, ko } = state.board;
  lastMove && notes.add(lastMove.vertex, say.lastMove);
  ko && notes.add(ko, say.ko);
  for (const kind of ['triangles', 'squares', 'circles', 'crosses', 'selected', 'blackTerritory', 'whiteTerritory'] as const) {
    marks?.[kind]?.forEach((vertex) => notes.add(vertex, say[kind]));
  }
  marks?.labels?.forEach(({ vertex, text }) => notes.add(vertex, say.label(text)));
  Object.entries(state.numbers ?? {}).forEach(([vertex, number]) => notes.add(vertex, say.number(number)));
  state.variations?.forEach(({ vertex }) => notes.add(vertex, say.variation));
  for (const { vertex, order, winrate, scoreLead, visits } of (view.heat !== 'none' && analysisOf(state)?.moves) || []) {
    order === 0 && notes.add(vertex, say.best);
    notes.add(vertex, say.winrate(decimal(winrate)));
    scoreLead != null && notes.add(vertex, say.score(decimal(scoreLead, true)));
    notes.add(vertex, say.visits(visits));
  }
  return notes;
}

export function xiangqiName(state: XiangqiState, view: View): string {
  const say = words(view.language);
  const { turn, inCheck } = state.position;
  return [say.xiangqiBoard, ...(turn ? [say.toPlay[turn]] : []), ...(inCheck ? [say.check] : [])].join(say.join);
}

/** `h2 red cannon, last move`. With a piece picked up, also where it may go. */
export function xiangqiNames(state: XiangqiState, view: View, selected: Point | undefined): (point: Point) => string {
  const say = words(view.language);
  const { board, turn, inCheck } = state.position;
  const last = state.lastMove ? parseMove(state.lastMove)?.to : undefined;
  const targets = new Set(selected ? targetsOf(state, selected).map(({ to }) => to) : []);
  return (point) => {
    const square = squareName(point);
    const piece = board[point.y * 9 + point.x] ?? '';
    const parts = [`${square} ${pieceName(piece, say)}`];
    last?.x === point.x && last.y === point.y && parts.push(say.lastMove);
    inCheck && piece === (turn === 'r' ? 'K' : 'k') && parts.push(say.check);
    selected?.x === point.x && selected.y === point.y && parts.push(say.selected);
    targets.has(square) && parts.push(piece ? say.canTake : say.canMove);
    return parts.join(say.join);
  };
}

export function pieceName(piece: string, say: ReturnType<typeof words>): string {
  const name = say.pieces[piece.toLowerCase()];
  return name ? say.piece(piece === piece.toUpperCase() ? say.red : say.blackPiece, name) : say.empty;
}

/** Where the legal moves lead from a point, in ICCS. */
export function targetsOf(state: XiangqiState, from: Point): { to: string; takes: boolean }[] {
  const start = squareName(from);
  return (state.moves ?? []).filter(({ iccs }) => iccs.startsWith(start)).map(({ iccs, captured }) => ({ to: iccs.slice(2), takes: captured !== '' }));
}
