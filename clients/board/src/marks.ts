/** Markup of a record on a Go board, move numbers, the last move and ko. */
import { arrow, straight } from './arrows';
import { xOf, yOf } from './grid';
import { px, type Shape, shape } from './shape';
import type { GoState } from './state';
import { colorAt, type Drawing, fitted, pointOf } from './stones';
import type { Point } from './vertex';

const ON = { B: 'kb-on-black', W: 'kb-on-white', none: 'kb-on-board' };

export function ground(state: GoState, point: Point): string {
  return ON[colorAt(state.board.stones, point) ?? 'none'];
}

type Form = (at: { x: number; y: number; cell: number }) => { tag: string; attrs: Record<string, string | number> };

/** Coordinates are the middle of a point; lengths follow the cell. */
const FORMS: Record<'triangles' | 'squares' | 'circles' | 'crosses' | 'selected', Form> = {
  triangles: ({ x, y, cell }) => {
    const r = cell * 0.33;
    const points = [90, 210, 330].map((degrees) => {
      const angle = (degrees * Math.PI) / 180;
      return `${px(x + r * Math.cos(angle))},${px(y + cell * 0.04 - r * Math.sin(angle))}`;
    });
    return { tag: 'polygon', attrs: { points: points.join(' ') } };
  },
  squares: ({ x, y, cell }) => {
    const half = Math.round(cell * 0.23);
    return { tag: 'rect', attrs: { x: x - half, y: y - half, width: 2 * half, height: 2 * half } };
  },
  circles: ({ x, y, cell }) => ({ tag: 'circle', attrs: { cx: x, cy: y, r: px(cell * 0.26) } }),
  crosses: ({ x, y, cell }) => {
    const half = px(cell * 0.22);
    return { tag: 'path', attrs: { d: `M${x - half} ${y - half}l${2 * half} ${2 * half}m0 ${-2 * half}l${-2 * half} ${2 * half}` } };
  },
  selected: ({ x, y, cell }) => {
    const half = Math.floor(cell / 2);
    return { tag: 'rect', attrs: { x: x - half, y: y - half, width: 2 * half, height: 2 * half } };
  },
};

/** TR, SQ, CR, MA, SL, LB, and AR and LN above them. */
export function markup(drawing: Drawing, state: GoState): Shape[] {
  const { grid } = drawing;
  const { markup: marks } = state.board;
  if (!marks) {
    return [];
  }
  const width = px(Math.max(grid.cell * 0.075, 1.2));
  const forms = (Object.keys(FORMS) as (keyof typeof FORMS)[]).flatMap((kind) =>
    (marks[kind] ?? []).flatMap((vertex) => {
      const point = pointOf(grid, vertex);
      if (!point) {
        return [];
      }
      const { tag, attrs } = FORMS[kind]({ x: xOf(grid, point.x), y: yOf(grid, point.y), cell: grid.cell });
      return [shape(`${kind}-${vertex}`, tag, { class: `kb-mark kb-${kind} ${ground(state, point)}`, 'stroke-width': width, ...attrs })];
    }),
  );
  const labels = (marks.labels ?? []).flatMap(({ vertex, text }) => label(drawing, state, vertex, text, 'label'));
  const ends = (list: readonly (readonly string[])[] | undefined, draw: (key: string, from: Point, to: Point) => Shape[]) =>
    (list ?? []).flatMap(([a, b], index) => {
      const from = pointOf(grid, a ?? '');
      const to = pointOf(grid, b ?? '');
      return from && to ? draw(`${index}-${a}-${b}`, from, to) : [];
    });
  return [
    ...forms,
    ...labels,
    ...ends(marks.lines, (key, from, to) => [straight(grid, `line-${key}`, from, to)]),
    ...ends(marks.arrows, (key, from, to) => [arrow(grid, `arrow-${key}`, from, to, 'plain')]),
  ];
}

/** A text on a point. On the bare board a patch of wood keeps the lines off it. */
export function label(drawing: Drawing, state: GoState, vertex: string, text: string, kind: string): Shape[] {
  const { grid } = drawing;
  const point = pointOf(grid, vertex);
  if (!point || !text) {
    return [];
  }
  const on = ground(state, point);
  const letters = fitted(grid, `${kind}-${vertex}`, point, text, 0.84, { class: `kb-label kb-${kind} ${on}` });
  return on === ON.none ? [patch(drawing, `${kind}-patch-${vertex}`, point), letters] : [letters];
}

export function patch({ grid }: Drawing, key: string, { x, y }: Point): Shape {
  return shape(key, 'circle', { class: 'kb-patch', cx: xOf(grid, x), cy: yOf(grid, y), r: px(grid.cell * 0.42) });
}

/** TB and TW. */
export function territory({ grid }: Drawing, state: GoState): Shape[] {
  const { markup: marks } = state.board;
  const half = Math.max(Math.round(grid.cell * 0.16), 1);
  const squares = (list: readonly string[] | undefined, color: string) =>
    (list ?? []).flatMap((vertex) => {
      const point = pointOf(grid, vertex);
      const place = point && { x: xOf(grid, point.x) - half, y: yOf(grid, point.y) - half, width: 2 * half, height: 2 * half };
      return place ? [shape(`${color}-${vertex}`, 'rect', { class: `kb-territory kb-territory-${color}`, ...place })] : [];
    });
  return [...squares(marks?.blackTerritory, 'black'), ...squares(marks?.whiteTerritory, 'white')];
}

/** Which points DD and VW leave in the dark. */
export function dimmed(state: GoState, columns: number, rows: number): (point: Point) => boolean {
  const { markup: marks } = state.board;
  const set = (list: readonly string[] | undefined) => {
    const points = new Set<number>();
    for (const vertex of list ?? []) {
      const point = pointOf({ columns, rows } as Drawing['grid'], vertex);
      point && points.add(point.y * columns + point.x);
    }
    return points;
  };
  const dim = set(marks?.dimmed);
  const visible = set(marks?.visible);
  return ({ x, y }) => dim.has(y * columns + x) || (visible.size > 0 && !visible.has(y * columns + x));
}

/** A veil over dimmed points; the stones on them are pale themselves. */
export function veil({ grid }: Drawing, dim: (point: Point) => boolean): Shape[] {
  const half = Math.floor(grid.cell / 2);
  const squares: string[] = [];
  for (let y = 0; y < grid.rows; y += 1) {
    for (let x = 0; x < grid.columns; x += 1) {
      if (dim({ x, y })) {
        squares.push(`M${xOf(grid, x) - half} ${yOf(grid, y) - half}h${grid.cell}v${grid.cell}h${-grid.cell}z`);
      }
    }
  }
  return squares.length ? [shape('veil', 'path', { class: 'kb-veil', d: squares.join('') })] : [];
}

export function numbers(drawing: Drawing, state: GoState): Shape[] {
  return Object.entries(state.numbers ?? {}).flatMap(([vertex, number]) => {
    const last = vertex === state.board.lastMove?.vertex ? ' kb-number-last' : '';
    return label(drawing, state, vertex, String(number), `number${last}`);
  });
}

/** A ring on the last move, unless something else is written there already. */
export function lastMove({ grid }: Drawing, state: GoState): Shape[] {
  const { lastMove: move, markup: marks } = state.board;
  const point = move && pointOf(grid, move.vertex);
  if (!point || state.numbers?.[move.vertex] !== undefined) {
    return [];
  }
  const marked = marks && [...Object.keys(FORMS).flatMap((kind) => marks[kind as keyof typeof FORMS] ?? []), ...(marks.labels ?? []).map(({ vertex }) => vertex)];
  if (marked?.includes(move.vertex)) {
    return [];
  }
  const at = { cx: xOf(grid, point.x), cy: yOf(grid, point.y) };
  return [shape('last', 'circle', { class: `kb-last ${ground(state, point)}`, ...at, r: px(grid.cell * 0.2), 'stroke-width': px(Math.max(grid.cell * 0.09, 1.4)) })];
}

export function ko({ grid }: Drawing, state: GoState): Shape[] {
  const point = state.board.ko ? pointOf(grid, state.board.ko) : undefined;
  if (!point) {
    return [];
  }
  const half = Math.max(Math.round(grid.cell * 0.26), 2);
  const place = { x: xOf(grid, point.x) - half, y: yOf(grid, point.y) - half, width: 2 * half, height: 2 * half };
  return [shape('ko', 'rect', { class: 'kb-ko', ...place, 'stroke-width': px(Math.max(grid.cell * 0.06, 1.2)) })];
}
