/** Where points lie. All lengths are whole or half pixels, so that lines are crisp. */
import type { Point } from './vertex';

export interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** From one line to the next. */
  readonly cell: number;
  /** The first line from the left and from the top. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Turned round: the last point comes first. */
  readonly flipped: boolean;
  /** Whether there is room for coordinates. */
  readonly coordinates: boolean;
}

export interface Room {
  readonly width: number;
  /** Without limit when absent: the height follows the width. */
  readonly height?: number;
  readonly coordinates: boolean;
  readonly flipped: boolean;
}

/** From the outer line to the edge, in cells. */
const EDGE = 0.66;
const EDGE_WITH_COORDINATES = 1.34;
/** Smaller than this, in pixels a cell, nobody reads the coordinates. */
const LEAST_FOR_COORDINATES = 15;

/** The largest grid that fits. */
export function fit(columns: number, rows: number, room: Room): Grid {
  const cellWith = (edge: number) => {
    const across = room.width / (columns - 1 + 2 * edge);
    const down = room.height === undefined ? Infinity : room.height / (rows - 1 + 2 * edge);
    return Math.max(Math.floor(Math.min(across, down)), 2);
  };
  const coordinates = room.coordinates && cellWith(EDGE_WITH_COORDINATES) >= LEAST_FOR_COORDINATES;
  const edge = coordinates ? EDGE_WITH_COORDINATES : EDGE;
  const cell = cellWith(edge);
  const least = (lines: number) => Math.ceil((lines - 1 + 2 * edge) * cell);
  // What whole cells leave over goes to the edges, unless the height decides.
  const width = room.height === undefined ? Math.max(Math.floor(room.width), least(columns)) : least(columns);
  const left = Math.floor((width - (columns - 1) * cell) / 2) + 0.5;
  const height = room.height === undefined ? width + (rows - columns) * cell : least(rows);
  const top = Math.floor((height - (rows - 1) * cell) / 2) + 0.5;
  return { columns, rows, cell, left, top, width, height, flipped: room.flipped, coordinates };
}

export function xOf(grid: Grid, x: number): number {
  return grid.left + (grid.flipped ? grid.columns - 1 - x : x) * grid.cell;
}

export function yOf(grid: Grid, y: number): number {
  return grid.top + (grid.flipped ? grid.rows - 1 - y : y) * grid.cell;
}

/** The point at a place of the drawing, if there is one. */
export function pointAt(grid: Grid, left: number, top: number): Point | undefined {
  // Adding 0 turns -0 into 0.
  const column = Math.round((left - grid.left) / grid.cell) + 0;
  const row = Math.round((top - grid.top) / grid.cell) + 0;
  if (column < 0 || row < 0 || column >= grid.columns || row >= grid.rows) {
    return undefined;
  }
  return grid.flipped ? { x: grid.columns - 1 - column, y: grid.rows - 1 - row } : { x: column, y: row };
}

/** The lines of star points of a Go board: the fourth from the edge on boards of 13 and more, else the third. */
export function stars(columns: number, rows: number): Point[] {
  if (Math.min(columns, rows) < 7) {
    return columns % 2 && rows % 2 && Math.min(columns, rows) > 3 ? [{ x: (columns - 1) / 2, y: (rows - 1) / 2 }] : [];
  }
  const lines = (size: number) => {
    const near = size < 13 ? 2 : 3;
    return { near, far: size - 1 - near, middle: size % 2 && size > 7 ? (size - 1) / 2 : undefined };
  };
  const across = lines(columns);
  const down = lines(rows);
  const found = [across.near, across.far].flatMap((x) => [down.near, down.far].map((y) => ({ x, y })));
  if (across.middle !== undefined && down.middle !== undefined) {
    found.push({ x: across.middle, y: down.middle });
  }
  if (across.middle !== undefined && columns >= 15) {
    found.push({ x: across.middle, y: down.near }, { x: across.middle, y: down.far });
  }
  if (down.middle !== undefined && rows >= 15) {
    found.push({ x: across.near, y: down.middle }, { x: across.far, y: down.middle });
  }
  return found;
}
