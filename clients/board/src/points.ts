/** The points as people who do not see the board, or use no pointer, meet them: a grid of named cells. */
import { type Grid, xOf, yOf } from './grid';
import { shape, type Shape } from './shape';
import type { Touch } from './state';
import type { Point } from './vertex';

/** The cells of the last drawing on each grid: those that say the same are taken again as they are. */
const known = new WeakMap<Grid, Map<number, Shape>>();

/** A row of cells a row of points. One cell at a time takes the focus. */
export function points(grid: Grid, id: string, focus: Point, name: (point: Point) => string): Shape {
  const kept = known.get(grid) ?? new Map<number, Shape>();
  known.set(grid, kept);
  const rows: Shape[] = [];
  for (let y = 0; y < grid.rows; y += 1) {
    const cells: Shape[] = [];
    for (let x = 0; x < grid.columns; x += 1) {
      const label = name({ x, y });
      const tabindex = x === focus.x && y === focus.y ? 0 : -1;
      const before = kept.get(y * grid.columns + x);
      const same = before && before.attrs['aria-label'] === label && before.attrs.tabindex === tabindex;
      const now = same ? before : cell(grid, id, { x, y }, label, tabindex);
      kept.set(y * grid.columns + x, now);
      cells.push(now);
    }
    rows.push(shape(String(y), 'g', { role: 'row' }, cells));
  }
  return shape('points', 'g', { class: 'kb-points', role: 'rowgroup' }, rows);
}

function cell(grid: Grid, id: string, { x, y }: Point, label: string, tabindex: number): Shape {
  const half = Math.floor(grid.cell / 2);
  const place = { x: xOf(grid, x) - half, y: yOf(grid, y) - half, width: grid.cell, height: grid.cell };
  return shape(String(x), 'rect', { class: 'kb-point', role: 'gridcell', id: `${id}-${x}-${y}`, tabindex, 'aria-label': label, ...place });
}

/** Where the keyboard is. Two rings, a dark and a light one, so that one of them shows on any ground. */
export function focusRing(grid: Grid, touch: Touch): Shape[] {
  if (!touch.focus) {
    return [];
  }
  const half = Math.floor(grid.cell / 2);
  const ring = (name: string, inset: number) =>
    shape(name, 'rect', {
      class: `kb-${name}`,
      x: xOf(grid, touch.focus!.x) - half + inset,
      y: yOf(grid, touch.focus!.y) - half + inset,
      width: 2 * (half - inset),
      height: 2 * (half - inset),
      rx: 3,
    });
  return [ring('focus-outer', 0), ring('focus-inner', 2)];
}

/** Names along all four edges. */
export function coordinates(grid: Grid, across: (x: number, bottom: boolean) => string, down: (y: number) => string, distance: number): Shape[] {
  if (!grid.coordinates) {
    return [];
  }
  const size = Math.round(Math.min(Math.max(grid.cell * 0.4, 9), 18) * 2) / 2;
  // On small boards the letters are as large as on others, and must keep off the stones.
  const gap = Math.round(Math.max(distance * grid.cell, 0.48 * grid.cell + 7));
  const right = grid.left + (grid.columns - 1) * grid.cell;
  const bottom = grid.top + (grid.rows - 1) * grid.cell;
  const text = (key: string, x: number, y: number, name: string) =>
    shape(key, 'text', { class: 'kb-coordinate', x, y: Math.round((y + size * 0.36) * 2) / 2, 'font-size': size }, name);
  const found: Shape[] = [];
  for (let x = 0; x < grid.columns; x += 1) {
    found.push(text(`t${x}`, xOf(grid, x), grid.top - gap, across(x, false)), text(`b${x}`, xOf(grid, x), bottom + gap, across(x, true)));
  }
  for (let y = 0; y < grid.rows; y += 1) {
    const name = down(y);
    if (name) {
      found.push(text(`l${y}`, grid.left - gap, yOf(grid, y), name), text(`r${y}`, right + gap, yOf(grid, y), name));
    }
  }
  return found;
}
