/** What an engine thinks, on the board: candidate moves, policy, ownership. */
import { type Grid, xOf, yOf } from './grid';
import { px, type Shape, shape } from './shape';
import { analysisOf, type AnalysisUpdate, type Candidate, type GoState, type View } from './state';
import { colorAt, type Drawing, pointOf } from './stones';
import { type Point, vertexName } from './vertex';

/** Below so many pixels a cell only colours are left, and below the second only the number. */
const LEAST_FOR_TEXT = 17;
const LEAST_FOR_VISITS = 24;

/** Letters, in cells. */
const NUMBER = 0.385;
const COUNT = 0.28;
/** Up to this strength the ground is dark and the ink is light. */
const FAINT = 4;

interface Cell {
  readonly vertex: string;
  /** 1 to 9. */
  readonly strength: number;
  readonly text: string;
  readonly visits: string;
  readonly best: boolean;
}

/** Visits in at most four signs: 999, 1.2k, 34k, 5.6M. */
export function shortCount(count: number): string {
  const units = ['', 'k', 'M', 'G'];
  let value = count;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return unit > 0 && value < 9.95 ? `${value.toFixed(1)}${units[unit]}` : `${Math.round(value)}${units[unit]}`;
}

/** One decimal, never -0.0; the sign says for whom, so a lead is written with its plus. */
export function decimal(value: number, sign = false): string {
  const text = value.toFixed(1).replace(/^-0\.0$/, '0.0');
  return sign && value > 0 && text !== '0.0' ? `+${text}` : text;
}

function numberOf(candidate: Candidate | undefined, heat: View['heat']): string | undefined {
  if (heat === 'winrate') {
    return candidate && decimal(candidate.winrate);
  }
  if (heat === 'policy') {
    return candidate?.prior == null ? undefined : candidate.prior < 9.95 ? decimal(candidate.prior) : String(Math.round(candidate.prior));
  }
  return candidate?.scoreLead == null ? undefined : decimal(candidate.scoreLead, true);
}

/** With policy the colour is the square root of it: most moves have next to none. */
function policyStrength(prior: number): number {
  return Math.min(Math.max(Math.round(Math.sqrt(prior / 100) * 9), 1), 9);
}

export function cells(analysis: AnalysisUpdate, view: Pick<View, 'heat' | 'visits'>): Cell[] {
  const candidates = new Map((analysis.moves ?? []).map((candidate) => [candidate.vertex, candidate]));
  const best = analysis.moves?.find(({ order }) => order === 0)?.vertex;
  const visitsOf = (vertex: string) => {
    const visits = candidates.get(vertex)?.visits;
    return view.visits && view.heat !== 'policy' && visits ? shortCount(visits) : '';
  };
  if (view.heat === 'policy') {
    return [...candidates.values()].flatMap((candidate) => {
      const text = numberOf(candidate, 'policy');
      return text === undefined ? [] : [{ vertex: candidate.vertex, strength: policyStrength(candidate.prior!), text, visits: '', best: candidate.vertex === best }];
    });
  }
  return (analysis.heatmap ?? []).map(({ vertex, strength, text }) => {
    // Where kifud writes nothing, there are too few visits for any number.
    const shown = view.heat === 'text' || !text ? text : (numberOf(candidates.get(vertex), view.heat) ?? '');
    return { vertex, strength, text: shown, visits: shown && visitsOf(vertex), best: vertex === best };
  });
}

interface Shown extends Cell {
  readonly point: Point;
}

/** In the order of the points, not of their rank: elements that change places cost more than those that change. */
function shown(state: GoState, view: View, grid: Grid): Shown[] {
  const analysis = analysisOf(state);
  const found = analysis && view.heat !== 'none' ? cells(analysis, view) : [];
  return found
    .flatMap((cell) => {
      const point = pointOf(grid, cell.vertex);
      return point ? [{ ...cell, point }] : [];
    })
    .sort((a, b) => a.point.y - b.point.y || a.point.x - b.point.x);
}

/** One outline a strength and small texts that carry nothing of their own: an engine may change all 361 points many
 * times a second, and what costs most then is text and style. */
export function heat(drawing: Drawing, state: GoState, view: View): Shape[] {
  const { grid } = drawing;
  const r = px(grid.cell * 0.48);
  const outlines = Array<string>(10).fill('');
  const rings: Shape[] = [];
  const numbers: Shape[] = [];
  const counts: Shape[] = [];
  for (const { vertex, point, strength, text, visits, best } of shown(state, view, grid)) {
    const [x, y] = [xOf(grid, point.x), yOf(grid, point.y)];
    outlines[strength] += `M${px(x - r)} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
    const two = visits && grid.cell >= LEAST_FOR_VISITS;
    const ink = strength <= FAINT ? 'kb-faint' : undefined;
    if (best) {
      rings.push(shape('best', 'circle', { class: 'kb-best', cx: x, cy: y, r }));
    }
    if (text && grid.cell >= LEAST_FOR_TEXT) {
      const small = text.length > 4 ? px(NUMBER * grid.cell * (4.4 / (text.length + 0.6))) : undefined;
      const middle = (two ? -0.13 : 0) + (NUMBER * 0.355);
      numbers.push(shape(vertex, 'text', { class: ink, x, y: px(y + middle * grid.cell), 'font-size': small }, text));
    }
    if (two) {
      counts.push(shape(vertex, 'text', { class: ink, x, y: px(y + (0.24 + COUNT * 0.355) * grid.cell) }, visits));
    }
  }
  const group = (name: string, size: number, texts: Shape[]) => shape(name, 'g', { class: `kb-${name}`, 'font-size': px(size * grid.cell) }, texts);
  return [
    ...outlines.flatMap((d, strength) => (d ? [shape(`strength-${strength}`, 'path', { class: `kb-heat kb-heat-${strength}`, d })] : [])),
    ...rings,
    group('heat-text', NUMBER, numbers),
    group('heat-visits', COUNT, counts),
  ];
}

/** Squares in the owner's colour, the larger the surer; on stones only where they are the other side's, and not under
 * candidate moves. */
export function ownership({ grid }: Drawing, state: GoState, view: View): Shape[] {
  const values = analysisOf(state)?.ownership;
  if (!values || values.length !== grid.columns * grid.rows) {
    return [];
  }
  const under = new Set(shown(state, view, grid).map(({ vertex }) => vertex));
  const paths = { black: '', white: '' };
  values.forEach((value, index) => {
    const half = px(Math.sqrt(Math.min(Math.abs(value), 1)) * grid.cell * 0.22);
    const owner = value > 0 ? 'B' : 'W';
    const point = { x: index % grid.columns, y: Math.floor(index / grid.columns) };
    const covered = colorAt(state.board.stones, point) === owner || under.has(vertexName(point, grid.rows));
    if (Math.abs(value) >= 0.05 && !covered) {
      const x = px(xOf(grid, point.x) - half);
      const y = px(yOf(grid, point.y) - half);
      paths[owner === 'B' ? 'black' : 'white'] += `M${x} ${y}h${2 * half}v${2 * half}h${-2 * half}z`;
    }
  });
  return Object.entries(paths).map(([color, d]) => shape(color, 'path', { class: `kb-ownership kb-ownership-${color}`, d }));
}
