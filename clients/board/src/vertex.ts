/** Names of points. x counts from the left and y from the top, both from 0. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';

/** A column's name: I is skipped, after Z come AA, AB and so on. */
export function columnName(x: number): string {
  return LETTERS.charAt(Math.floor(x / LETTERS.length) - 1) + LETTERS.charAt(x % LETTERS.length);
}

/** GTP's spelling of a point: rows count from the bottom. */
export function vertexName({ x, y }: Point, rows: number): string {
  return `${columnName(x)}${rows - y}`;
}

/** The point of a GTP vertex; none for `pass`, for other words and for points off the board. */
export function parseVertex(text: string, columns: number, rows: number): Point | undefined {
  const parts = /^([A-HJ-Z]{1,2})([1-9]\d?)$/i.exec(text);
  if (!parts) {
    return undefined;
  }
  const letters = parts[1]!.toUpperCase();
  const last = LETTERS.indexOf(letters.at(-1)!);
  const x = letters.length === 1 ? last : (LETTERS.indexOf(letters[0]!) + 1) * LETTERS.length + last;
  const y = rows - Number(parts[2]);
  return x < columns && y >= 0 && y < rows ? { x, y } : undefined;
}

/** A xiangqi point in ICCS: files a to i, ranks 0 to 9 from Red's back rank. */
export function squareName({ x, y }: Point): string {
  return `${'abcdefghi'.charAt(x)}${9 - y}`;
}

export function parseSquare(text: string): Point | undefined {
  return /^[a-i]\d$/.test(text) ? { x: text.charCodeAt(0) - 97, y: 9 - Number(text[1]) } : undefined;
}

/** Both ends of a move in ICCS. */
export function parseMove(text: string): { from: Point; to: Point } | undefined {
  const from = parseSquare(text.slice(0, 2));
  const to = parseSquare(text.slice(2));
  return from && to && { from, to };
}
