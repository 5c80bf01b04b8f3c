/** A xiangqi board as shapes. Red sits below unless it is flipped; rows count from Black's back rank. */
import { arrow } from './arrows';
import { type Grid, xOf, yOf } from './grid';
import { targetsOf, xiangqiNames } from './names';
import { coordinates, focusRing, points } from './points';
import { layer, px, shape, type Shape } from './shape';
import type { Arrow, Touch, View, XiangqiState } from './state';
import type { Drawing } from './stones';
import { parseMove, parseSquare, type Point } from './vertex';
import { defs, paint, wood } from './wood';

const FACES: Record<View['pieces'], Record<string, string>> = {
  traditional: { K: '帥', A: '仕', B: '相', N: '傌', R: '俥', C: '炮', P: '兵', k: '將', a: '士', b: '象', n: '馬', r: '車', c: '砲', p: '卒' },
  simplified: { K: '帅', A: '仕', B: '相', N: '马', R: '车', C: '炮', P: '兵', k: '将', a: '士', b: '象', n: '马', r: '车', c: '炮', p: '卒' },
  letters: { K: 'K', A: 'A', B: 'B', N: 'N', R: 'R', C: 'C', P: 'P', k: 'K', a: 'A', b: 'B', n: 'N', r: 'R', c: 'C', p: 'P' },
};
const RIVER: Record<View['pieces'], readonly [string, string]> = {
  traditional: ['楚河', '漢界'],
  simplified: ['楚河', '汉界'],
  letters: ['', ''],
};
/** Red's files count from Red's right hand, in Chinese numerals; Black's from Black's right, in digits. */
const RED_FILES = '九八七六五四三二一';

export function xiangqiShapes(state: XiangqiState, view: View, touch: Touch, drawing: Drawing): Shape[] {
  const { grid } = drawing;
  const { board, last, arrows } = moment(state, view);
  const lifted = state.line ? undefined : touch.selected;
  const keyboard = touch.focus ?? { x: 4, y: 9 };
  return [
    ...still(drawing, view),
    layer('last', view.lastMove ? lastMove(grid, last) : []),
    layer('pieces', pieces(drawing, board, view.pieces)),
    layer('check', state.line ? [] : check(grid, state)),
    layer('selected', lifted ? selection(grid, state, lifted) : []),
    layer('arrows', arrows.flatMap((one, index) => drawArrow(grid, one, index))),
    layer('focus', focusRing(grid, touch)),
    points(grid, drawing.paints.id, keyboard, xiangqiNames(state, view, lifted)),
  ];
}

/** What is shown: the position itself, or the end of a line. */
function moment(state: XiangqiState, view: View): { board: readonly string[]; last: string | undefined; arrows: readonly Arrow[] } {
  if (state.line) {
    const moves = state.line.moves.slice(0, state.line.ply ?? undefined);
    return { board: moved(state.position.board, moves), last: moves.at(-1) ?? state.lastMove ?? undefined, arrows: [] };
  }
  const expected = (state.analysis?.pv ?? []).slice(0, view.arrows).map((move, index): Arrow => ({ move, kind: index === 0 ? 'best' : 'plain', text: view.arrows > 1 ? String(index + 1) : null }));
  return { board: state.position.board, last: state.lastMove ?? undefined, arrows: [...(state.arrows ?? []), ...expected] };
}

/** The points after some moves. Where nothing stands nothing moves. */
export function moved(board: readonly string[], moves: readonly string[]): string[] {
  const after = [...board];
  for (const move of moves) {
    const ends = parseMove(move);
    const piece = ends && after[ends.from.y * 9 + ends.from.x];
    if (!piece) {
      break;
    }
    after[ends.from.y * 9 + ends.from.x] = '';
    after[ends.to.y * 9 + ends.to.x] = piece;
  }
  return after;
}

const known = new WeakMap<Grid, { pieces: View['pieces']; shapes: Shape[] }>();

function still(drawing: Drawing, view: View): Shape[] {
  const { grid, paints } = drawing;
  const before = known.get(grid);
  if (before?.pieces === view.pieces) {
    return before.shapes;
  }
  const shapes = [defs(paints), wood(grid, paints), layer('grid', [...lines(grid), ...river(grid, view.pieces)]), layer('coordinates', files(grid, view.pieces))];
  known.set(grid, { pieces: view.pieces, shapes });
  return shapes;
}

function files(grid: Grid, pieces: View['pieces']): Shape[] {
  const red = (x: number) => (pieces === 'letters' ? 'abcdefghi' : RED_FILES).charAt(x);
  const black = (x: number) => (pieces === 'letters' ? red(x) : String(x + 1));
  const rank = (y: number) => (pieces === 'letters' ? String(9 - y) : '');
  return coordinates(grid, (x, bottom) => (bottom === grid.flipped ? black(x) : red(x)), rank, 0.88);
}

function lines(grid: Grid): Shape[] {
  const { left, top, cell } = grid;
  const right = left + 8 * cell;
  const bottom = top + 9 * cell;
  let inner = '';
  for (let y = 1; y < 9; y += 1) {
    inner += `M${left} ${top + y * cell}h${8 * cell}`;
  }
  for (let x = 1; x < 8; x += 1) {
    inner += `M${left + x * cell} ${top}v${4 * cell}m0 ${cell}v${4 * cell}`;
  }
  const palace = (y: number) => `M${left + 3 * cell} ${top + y * cell}l${2 * cell} ${2 * cell}m0 ${-2 * cell}l${-2 * cell} ${2 * cell}`;
  const frame = Math.max(Math.round(cell * 0.08), 3);
  const around = { x: left - frame, y: top - frame, width: right - left + 2 * frame, height: bottom - top + 2 * frame };
  return [
    shape('inner', 'path', { class: 'kb-lines', d: inner }),
    shape('palaces', 'path', { class: 'kb-lines kb-slanted', d: palace(0) + palace(7) }),
    shape('outer', 'path', { class: 'kb-lines kb-lines-outer', d: `M${left} ${top}H${right}V${bottom}H${left}z` }),
    shape('frame', 'rect', { class: 'kb-frame', ...around }),
    shape('stations', 'path', { class: 'kb-lines kb-stations', d: stations(grid) }),
  ];
}

/** The corners drawn around the points where cannons and soldiers start. */
function stations(grid: Grid): string {
  const gap = Math.max(Math.round(grid.cell * 0.09), 2);
  const arm = Math.max(Math.round(grid.cell * 0.18), 3);
  const places = [1, 7].flatMap((x) => [2, 7].map((y) => ({ x, y }))).concat([0, 2, 4, 6, 8].flatMap((x) => [3, 6].map((y) => ({ x, y }))));
  return places.map(({ x, y }) => {
    const sides = [x > 0 ? -1 : 0, x < 8 ? 1 : 0].filter((side) => side !== 0);
    const corner = (sx: number, sy: number) => {
      const cx = grid.left + x * grid.cell + sx * gap;
      const cy = grid.top + y * grid.cell + sy * gap;
      return `M${cx + sx * arm} ${cy}H${cx}V${cy + sy * arm}`;
    };
    return sides.map((sx) => corner(sx, -1) + corner(sx, 1)).join('');
  }).join('');
}

function river(grid: Grid, pieces: View['pieces']): Shape[] {
  const size = Math.round(grid.cell * 0.62);
  const y = px(grid.top + 4.5 * grid.cell + size * 0.36);
  const names = RIVER[pieces];
  const text = (key: string, x: number, name: string) =>
    shape(key, 'text', { class: 'kb-river', x: grid.left + x * grid.cell, y, 'font-size': size, 'letter-spacing': px(size * 0.5), dx: px(size * 0.25) }, name);
  const [first, second] = grid.flipped ? [names[1], names[0]] : names;
  return first ? [text('river-left', 2, first), text('river-right', 6, second)] : [];
}

const PIECE_RADIUS = 0.44;

function pieces(drawing: Drawing, board: readonly string[], faces: View['pieces']): Shape[] {
  const { grid, paints } = drawing;
  const r = px(grid.cell * PIECE_RADIUS);
  const found: Shape[] = [];
  const shadows: string[] = [];
  board.forEach((piece, index) => {
    const face = FACES[faces][piece];
    if (!face) {
      return;
    }
    const point = { x: index % 9, y: Math.floor(index / 9) };
    const [x, y] = [xOf(grid, point.x), yOf(grid, point.y)];
    const drop = px(grid.cell * 0.05);
    shadows.push(`M${px(x - r + drop)} ${px(y + drop * 1.5)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`);
    const side = piece === piece.toUpperCase() ? 'red' : 'black';
    const size = px(grid.cell * (faces === 'letters' ? 0.46 : 0.55));
    found.push(
      shape(`${index}-${piece}`, 'g', { class: `kb-piece kb-piece-${side}` }, [
        shape('disc', 'circle', { class: 'kb-disc', cx: x, cy: y, r, fill: paint(paints, 'piece') }),
        shape('ring', 'circle', { class: 'kb-ring', cx: x, cy: y, r: px(grid.cell * 0.365), 'stroke-width': px(Math.max(grid.cell * 0.03, 1)) }),
        shape('face', 'text', { class: 'kb-face', x, y: px(y + size * (faces === 'letters' ? 0.355 : 0.365)), 'font-size': size }, face),
      ]),
    );
  });
  return [shape('shadows', 'path', { class: 'kb-shadow', d: shadows.join('') }), ...found];
}

/** Corners around both ends of the last move. */
function lastMove(grid: Grid, move: string | undefined): Shape[] {
  const ends = move ? parseMove(move) : undefined;
  if (!ends) {
    return [];
  }
  const width = px(Math.max(grid.cell * 0.045, 1.5));
  return Object.entries(ends).map(([name, point]) => shape(name, 'path', { class: `kb-last-${name}`, d: corners(grid, point), 'stroke-width': width }));
}

function corners(grid: Grid, { x, y }: Point): string {
  const half = grid.cell * 0.47;
  const arm = grid.cell * 0.16;
  return [-1, 1]
    .flatMap((sx) => [-1, 1].map((sy) => [sx, sy] as const))
    .map(([sx, sy]) => {
      const [cx, cy] = [px(xOf(grid, x) + sx * half), px(yOf(grid, y) + sy * half)];
      return `M${px(cx - sx * arm)} ${cy}H${cx}V${px(cy - sy * arm)}`;
    })
    .join('');
}

/** A ring round the general that is attacked. */
function check(grid: Grid, state: XiangqiState): Shape[] {
  const { board, turn, inCheck } = state.position;
  const index = inCheck && turn ? board.indexOf(turn === 'r' ? 'K' : 'k') : -1;
  if (index < 0) {
    return [];
  }
  const at = { cx: xOf(grid, index % 9), cy: yOf(grid, Math.floor(index / 9)) };
  return [
    shape('glow', 'circle', { class: 'kb-check-glow', ...at, r: px(grid.cell * 0.5), 'stroke-width': px(grid.cell * 0.12) }),
    shape('check', 'circle', { class: 'kb-check-ring', ...at, r: px(grid.cell * 0.46), 'stroke-width': px(Math.max(grid.cell * 0.06, 2)) }),
  ];
}

/** The piece that was picked up, a dot where it may go, a ring round what it may take. */
function selection(grid: Grid, state: XiangqiState, selected: Point): Shape[] {
  const ring = (key: string, { x, y }: Point, name: string) =>
    shape(key, 'circle', { class: name, cx: xOf(grid, x), cy: yOf(grid, y), r: px(grid.cell * 0.46), 'stroke-width': px(Math.max(grid.cell * 0.06, 2)) });
  const targets = targetsOf(state, selected).flatMap(({ to, takes }) => {
    const point = parseSquare(to);
    if (!point) {
      return [];
    }
    const dot = () => shape(to, 'circle', { class: 'kb-target', cx: xOf(grid, point.x), cy: yOf(grid, point.y), r: px(grid.cell * 0.13) });
    return [takes ? ring(to, point, 'kb-target-take') : dot()];
  });
  return [ring('selected', selected, 'kb-selected-piece'), ...targets];
}

function drawArrow(grid: Grid, { move, kind, text }: Arrow, index: number): Shape[] {
  const ends = parseMove(move);
  if (!ends) {
    return [];
  }
  const found = [arrow(grid, `${index}-${move}`, ends.from, ends.to, kind ?? 'plain')];
  if (text) {
    const [x, y] = [(xOf(grid, ends.from.x) + xOf(grid, ends.to.x)) / 2, (yOf(grid, ends.from.y) + yOf(grid, ends.to.y)) / 2];
    const size = px(grid.cell * 0.26);
    found.push(
      shape(`${index}-badge`, 'circle', { class: `kb-badge kb-badge-${kind ?? 'plain'}`, cx: x, cy: y, r: px(grid.cell * 0.19) }),
      shape(`${index}-text`, 'text', { class: 'kb-badge-text', x, y: px(y + size * 0.355), 'font-size': size }, text),
    );
  }
  return found;
}
