/** A Go board as shapes. */
import { type Grid, stars, xOf, yOf } from './grid';
import { heat, ownership } from './heat';
import { dimmed, ko, label, lastMove, markup, numbers, patch, territory, veil } from './marks';
import { goNames } from './names';
import type { PlayOut } from './playout';
import { coordinates, focusRing, points } from './points';
import { layer, px, shape, type Shape } from './shape';
import { analysisOf, candidateAt, goColor, type GoState, type Line, type Touch, type View } from './state';
import { colorAt, type Drawing, fitted, ghosts, pointOf, stone, stones } from './stones';
import { columnName, type Point, vertexName } from './vertex';
import { defs, wood } from './wood';

export function goSize(state: GoState): { columns: number; rows: number } {
  const { stones: rows } = state.board;
  return { columns: Math.max(rows[0]?.length ?? 0, 1), rows: Math.max(rows.length, 1) };
}

/** The line to be played out: the one of the state, else that of the candidate under pointer or focus. */
export function shownLine(state: GoState, view: View, touch: Touch): Line | undefined {
  if (state.line) {
    return state.line;
  }
  const point = touch.hover ?? touch.focus;
  if (!view.hoverLine || view.heat === 'none' || !point) {
    return undefined;
  }
  const candidate = candidateAt(state, vertexName(point, state.board.stones.length));
  const color = analysisOf(state)?.color ?? goColor(state.board.toPlay);
  return candidate && candidate.pv.length > 0 && color ? { color, moves: candidate.pv } : undefined;
}

export function goShapes(state: GoState, view: View, touch: Touch, drawing: Drawing, playOut: PlayOut): Shape[] {
  const { grid } = drawing;
  const line = shownLine(state, view, touch);
  const over = line ? playedOut(drawing, state, line, playOut) : plain(drawing, state, view, touch);
  const keyboard = touch.focus ?? middle(grid);
  return [
    ...still(drawing),
    ...over,
    layer('focus', focusRing(grid, touch)),
    points(grid, drawing.paints.id, keyboard, goNames(state, view)),
  ];
}

/** What depends on the size alone is made once a size. */
const known = new WeakMap<Grid, Shape[]>();

function still(drawing: Drawing): Shape[] {
  const { grid, paints } = drawing;
  const shapes = known.get(grid) ?? [
    defs(paints),
    wood(grid, paints),
    layer('grid', lines(grid)),
    layer('coordinates', coordinates(grid, columnName, (y) => String(grid.rows - y), 0.86)),
  ];
  known.set(grid, shapes);
  return shapes;
}

function lines(grid: Grid): Shape[] {
  const across = (grid.columns - 1) * grid.cell;
  const down = (grid.rows - 1) * grid.cell;
  const { left, top, cell } = grid;
  let inner = '';
  for (let x = 1; x < grid.columns - 1; x += 1) {
    inner += `M${left + x * cell} ${top}v${down}`;
  }
  for (let y = 1; y < grid.rows - 1; y += 1) {
    inner += `M${left} ${top + y * cell}h${across}`;
  }
  const star = ({ x, y }: Point) =>
    shape(`star-${x}-${y}`, 'circle', { class: 'kb-star', cx: xOf(grid, x), cy: yOf(grid, y), r: px(Math.max(cell * 0.1, 1.5)) });
  return [
    shape('inner', 'path', { class: 'kb-lines', d: inner }),
    shape('outer', 'path', { class: 'kb-lines kb-lines-outer', d: `M${left} ${top}h${across}v${down}h${-across}z` }),
    ...stars(grid.columns, grid.rows).map(star),
  ];
}

function plain(drawing: Drawing, state: GoState, view: View, touch: Touch): Shape[] {
  const { grid } = drawing;
  const dim = dimmed(state, grid.columns, grid.rows);
  return [
    layer('stones', stones(drawing, state.board.stones, dim)),
    layer('veil', view.markup ? veil(drawing, dim) : []),
    layer('ownership', view.ownership ? ownership(drawing, state, view) : []),
    layer('territory', view.markup ? territory(drawing, state) : []),
    layer('ko', ko(drawing, state)),
    layer('variations', variations(drawing, state)),
    layer('heat', heat(drawing, state, view)),
    layer('ghosts', [...ghosts(drawing, state.ghosts ?? []), ...hovered(drawing, state, touch)]),
    layer('numbers', numbers(drawing, state)),
    layer('last', view.lastMove ? lastMove(drawing, state) : []),
    layer('markup', view.markup ? markup(drawing, state) : []),
  ];
}

/** The board at the end of a line: its stones are numbered, and stones that it took are gone. */
function playedOut(drawing: Drawing, state: GoState, line: Line, playOut: PlayOut): Shape[] {
  const { grid } = drawing;
  const moves = line.moves.slice(0, line.ply ?? line.moves.length);
  const { stones: rows, placed } = playOut(state.board.stones, line.color, moves);
  const fresh = new Set(placed.map(({ point }) => point.y * grid.columns + point.x));
  const old = rows.map((row, y) => [...row].map((sign, x) => (fresh.has(y * grid.columns + x) ? '.' : sign)).join(''));
  const numbered = placed.flatMap(({ point, color, number, stands }) => {
    const key = `${point.x},${point.y}`;
    // A stone that was taken again leaves its number on the bare point.
    const there = colorAt(rows, point) ?? (stands ? color : undefined);
    const ground = there ? stone(drawing, `${key}-line`, point, there, { class: 'kb-line-stone' }) : patch(drawing, `${key}-line`, point);
    const on = there === 'B' ? 'black' : there === 'W' ? 'white' : 'board';
    const first = number === 1 ? ' kb-line-first' : '';
    return [ground, fitted(grid, `${key}-number`, point, String(number), 0.8, { class: `kb-label kb-line-number kb-on-${on}${first}` })];
  });
  return [layer('stones', stones(drawing, old, () => false)), layer('played-out', numbered)];
}

function variations(drawing: Drawing, state: GoState): Shape[] {
  const { grid } = drawing;
  return (state.variations ?? []).flatMap(({ vertex, color, kind, text }) => {
    const point = pointOf(grid, vertex);
    if (!point) {
      return [];
    }
    const who = color === 'B' ? ' kb-variation-black' : color === 'W' ? ' kb-variation-white' : '';
    const at = { cx: xOf(grid, point.x), cy: yOf(grid, point.y), r: px(grid.cell * 0.36) };
    const width = px(Math.max(grid.cell * 0.07, 1.2));
    const ring = shape(`ring-${vertex}`, 'circle', { class: `kb-variation kb-variation-${kind ?? 'child'}${who}`, ...at, 'stroke-width': width });
    return text ? [...label(drawing, state, vertex, text, 'variation-text'), ring] : [ring];
  });
}

/** The stone that a click would put down. */
function hovered(drawing: Drawing, state: GoState, { hover }: Touch): Shape[] {
  const color = goColor(state.board.toPlay);
  const free = hover && colorAt(state.board.stones, hover) === undefined;
  return free && color ? [stone(drawing, 'hover', hover, color, { class: 'kb-hover' })] : [];
}

export function middle(grid: Pick<Grid, 'columns' | 'rows'>): Point {
  return { x: Math.floor((grid.columns - 1) / 2), y: Math.floor((grid.rows - 1) / 2) };
}
