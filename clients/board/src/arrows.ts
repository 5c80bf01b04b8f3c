/** Lines and arrows between points. */
import { type Grid, xOf, yOf } from './grid';
import { px, type Shape, shape } from './shape';
import type { Point } from './vertex';

export function straight(grid: Grid, key: string, from: Point, to: Point): Shape {
  const ends = { x1: xOf(grid, from.x), y1: yOf(grid, from.y), x2: xOf(grid, to.x), y2: yOf(grid, to.y) };
  return shape(key, 'line', { class: 'kb-line', ...ends, 'stroke-width': px(Math.max(grid.cell * 0.09, 1.5)) });
}

/** One outline from the middle of a point to the middle of another; it begins and ends a little inside. */
export function arrow(grid: Grid, key: string, from: Point, to: Point, kind: string): Shape {
  const [x1, y1, x2, y2] = [xOf(grid, from.x), yOf(grid, from.y), xOf(grid, to.x), yOf(grid, to.y)];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const { cell } = grid;
  const half = cell * 0.07;
  const wing = cell * 0.2;
  const start = Math.min(cell * 0.12, length / 4);
  const tip = length - Math.min(cell * 0.06, length / 8);
  const neck = Math.max(tip - cell * 0.4, start);
  /** So far along the arrow, so far to its side. */
  const at = (along: number, side: number) => `${px(x1 + ux * along - uy * side)} ${px(y1 + uy * along + ux * side)}`;
  const outline = [at(start, half), at(neck, half), at(neck, wing), at(tip, 0), at(neck, -wing), at(neck, -half), at(start, -half)];
  return shape(key, 'path', { class: `kb-arrow kb-arrow-${kind}`, d: `M${outline.join('L')}Z` });
}
