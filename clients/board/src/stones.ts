/** Go stones, the real ones and those that are not there. */
import { type Grid, xOf, yOf } from './grid';
import { px, type Attrs, type Shape, shape } from './shape';
import type { Color, Ghost } from './state';
import { parseVertex, type Point } from './vertex';
import { paint, type Paints } from './wood';

/** In cells; the rest is the gap between neighbours. */
export const STONE_RADIUS = 0.478;

export interface Drawing {
  readonly grid: Grid;
  readonly paints: Paints;
}

const BODY: Record<Color, string> = { B: 'black', W: 'white' };

export function pointOf(grid: Grid, vertex: string): Point | undefined {
  return parseVertex(vertex, grid.columns, grid.rows);
}

export function stone({ grid, paints }: Drawing, key: string, { x, y }: Point, color: Color, more: Attrs = {}): Shape {
  return shape(key, 'circle', {
    ...more,
    class: `kb-stone kb-${BODY[color]}${more.class ? ` ${more.class}` : ''}`,
    cx: xOf(grid, x),
    cy: yOf(grid, y),
    r: px(grid.cell * STONE_RADIUS),
    fill: paint(paints, BODY[color]),
  });
}

export function colorAt(stones: readonly string[], { x, y }: Point): Color | undefined {
  const sign = stones[y]?.[x];
  return sign === 'X' ? 'B' : sign === 'O' ? 'W' : undefined;
}

/** Every stone, below them one path with all their shadows. */
export function stones(drawing: Drawing, rows: readonly string[], dim: (point: Point) => boolean): Shape[] {
  const { grid } = drawing;
  const r = px(grid.cell * STONE_RADIUS);
  const drop = px(grid.cell * 0.045);
  const shadows: string[] = [];
  const found: Shape[] = [];
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      const point = { x, y };
      const color = colorAt(rows, point);
      if (color) {
        shadows.push(`M${px(xOf(grid, x) - r + drop)} ${px(yOf(grid, y) + drop * 1.6)}a${r} ${r} 0 1 0 ${px(2 * r)} 0a${r} ${r} 0 1 0 ${px(-2 * r)} 0`);
        found.push(stone(drawing, `${x},${y}`, point, color, dim(point) ? { class: 'kb-dim' } : {}));
      }
    }
  });
  return [shape('shadows', 'path', { class: 'kb-shadow', d: shadows.join('') }), ...found];
}

/** Text in the middle of a point, as large as fits: `room` is the width in cells. */
export function fitted(grid: Grid, key: string, { x, y }: Point, text: string, room: number, more: Attrs & { readonly dy?: number; readonly size?: number }): Shape {
  const { dy = 0, size: most = 0.58, ...attrs } = more;
  const shown = [...text].length > 4 ? `${[...text].slice(0, 4).join('')}…` : text;
  const size = Math.min(most, room / Math.max(widthOf(shown), 0.6)) * grid.cell;
  return shape(key, 'text', { ...attrs, x: xOf(grid, x), y: px(yOf(grid, y) + dy * grid.cell + size * 0.355), 'font-size': px(size) }, shown);
}

/** Rough width in ems: digits and Latin letters are narrow, the rest is square. */
function widthOf(text: string): number {
  return [...text].reduce((sum, sign) => sum + (/[.,:iIl|']/.test(sign) ? 0.34 : sign.charCodeAt(0) < 0x2000 ? 0.64 : 1.05), 0);
}

export function ghosts(drawing: Drawing, list: readonly Ghost[]): Shape[] {
  const { grid } = drawing;
  return list.flatMap(({ vertex, color, kind, text }) => {
    const point = pointOf(grid, vertex);
    if (!point) {
      return [];
    }
    const body = [stone(drawing, `${vertex}-ghost`, point, color, { class: `kb-ghost${kind ? ` kb-ghost-${kind}` : ''}` })];
    return text ? [...body, fitted(grid, `${vertex}-ghost-text`, point, text, 0.8, { class: `kb-label kb-on-${BODY[color]}` })] : body;
  });
}
