/** A board as text. Knows nothing of the editor. */

/** What `record/board` answers, as far as it is drawn. */
export interface Board {
  stones: string[];
  toPlay: Color;
  moveNumber: number;
  lastMove?: { color: Color; vertex: string };
  ko?: string;
  captures: Record<Color, number>;
  comment?: string;
}

type Color = 'B' | 'W';

const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';
const SIGNS: Record<string, string> = { X: '●', O: '○', B: '●', W: '○', '.': '·' };
const ASCII: Record<string, string> = { X: 'X', O: 'O', B: 'X', W: 'O', '.': '.' };

/** A column's name, counted from 0: I is skipped, after Z come AA, AB and so on. */
function column(index: number): string {
  const behind = Math.floor(index / LETTERS.length);
  return LETTERS.charAt(behind - 1) + LETTERS.charAt(index % LETTERS.length);
}

function header(width: number): string {
  const names = Array.from({ length: width }, (_, x) => column(x).padEnd(2));
  return ('   ' + names.join('')).trimEnd();
}

/** One row, from the left edge. The last move stands in brackets. */
function row(stones: string, number: number, last: string | undefined, sign: Record<string, string>): string {
  const isLast = (x: number) => `${column(x)}${number}` === last;
  const gap = (x: number) => (isLast(x) ? '(' : x > 0 && isLast(x - 1) ? ')' : ' ');
  const points = [...stones].map((stone, x) => gap(x) + sign[stone]);
  const close = isLast(stones.length - 1) ? ')' : ' ';
  return `${String(number).padStart(2)}${points.join('')}${close}${number}`;
}

function status(board: Board, sign: Record<string, string>): string[] {
  const last = board.lastMove ? `, last ${sign[board.lastMove.color]} ${board.lastMove.vertex}` : '';
  const lines = [
    `Move ${board.moveNumber}, ${sign[board.toPlay]} to play${last}`,
    `Captures ${sign.B} ${board.captures.B}, ${sign.W} ${board.captures.W}`,
  ];
  return board.ko ? [...lines, `Ko at ${board.ko}`] : lines;
}

/** The whole board with what belongs to it. */
export function draw(board: Board, ascii: boolean): string {
  const sign = ascii ? ASCII : SIGNS;
  const height = board.stones.length;
  const letters = header(board.stones[0]?.length ?? 0);
  const rows = board.stones.map((stones, y) => row(stones, height - y, board.lastMove?.vertex, sign));
  const comment = board.comment ? ['', board.comment] : [];
  return [letters, ...rows, letters, '', ...status(board, sign), ...comment].join('\n') + '\n';
}
