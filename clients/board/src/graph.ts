/** Win rate and score over the moves of a game, as shapes. */
import { decimal } from './heat';
import { px, shape, type Shape } from './shape';
import type { View } from './state';
import { words } from './words';

export interface GraphPoint {
  readonly moveNumber: number;
  /** Black's (xiangqi: Red's) win rate in percent. */
  readonly winrate?: number | null;
  /** Points for Black; xiangqi: centipawns for Red. */
  readonly score?: number | null;
  /** What the move lost, and from whose view it counts: drawn from `doubtful` on. */
  readonly loss?: number | null;
}

export interface GraphState {
  /** In the order of the game. Moves without numbers leave a gap. */
  readonly points: readonly GraphPoint[];
  /** Index of the point that is on the board. */
  readonly current?: number | null;
  /** Losses from which moves are marked. */
  readonly thresholds?: { readonly doubtful: number; readonly bad: number } | null;
}

export interface GraphView {
  readonly winrate: boolean;
  readonly score: boolean;
  readonly language: View['language'];
}

export interface GraphSize {
  readonly width: number;
  readonly height: number;
}

const THRESHOLDS = { doubtful: 2, bad: 5 };
const PADDING = 8;

export function xOfPoint(count: number, index: number, width: number): number {
  return count < 2 ? width / 2 : PADDING + (index * (width - 2 * PADDING)) / (count - 1);
}

/** The point that is nearest to a place. */
export function pointNear(count: number, x: number, width: number): number | undefined {
  if (count === 0) {
    return undefined;
  }
  const index = Math.round(((x - PADDING) / (width - 2 * PADDING)) * (count - 1));
  return Math.min(Math.max(index, 0), count - 1) || 0;
}

/** The score that reaches the edge: at least 10 and a round number, so that the scale rarely moves. */
export function scoreScale(points: readonly GraphPoint[]): number {
  let most = 0;
  for (const { score } of points) {
    most = Math.max(most, Math.abs(score ?? 0));
  }
  const steps = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
  return steps.find((step) => most <= step) ?? most;
}

/** A path through the values. Where many points share a pixel, the lowest and the highest of them are enough. */
export function curve(values: readonly (number | undefined)[], x: (index: number) => number, y: (value: number) => number): string {
  const perPixel = values.length > 1 ? (values.length - 1) / Math.max(x(values.length - 1) - x(0), 1) : 0;
  const kept = perPixel > 2 ? thinned(values, Math.ceil(perPixel)) : values.map((value, index) => [index, value] as const);
  let path = '';
  let drawing = false;
  for (const [index, value] of kept) {
    if (value === undefined) {
      drawing = false;
    } else {
      path += `${drawing ? 'L' : 'M'}${px(x(index))} ${px(y(value))}`;
      drawing = true;
    }
  }
  return path;
}

function thinned(values: readonly (number | undefined)[], stretch: number): (readonly [number, number | undefined])[] {
  const kept: (readonly [number, number | undefined])[] = [];
  for (let start = 0; start < values.length; start += stretch) {
    let low: number | undefined;
    let high: number | undefined;
    for (let index = start; index < Math.min(start + stretch, values.length); index += 1) {
      const value = values[index];
      if (value !== undefined) {
        low = low === undefined || value < values[low]! ? index : low;
        high = high === undefined || value > values[high]! ? index : high;
      }
    }
    const both = low === undefined || high === undefined ? [start] : low === high ? [low] : [Math.min(low, high), Math.max(low, high)];
    kept.push(...both.map((index) => [index, values[index]] as const));
  }
  return kept;
}

/** Stretches of known values as closed areas down to the bottom. */
function area(values: readonly (number | undefined)[], x: (index: number) => number, y: (value: number) => number, bottom: number): string {
  return curve(values, x, y)
    .split('M')
    .filter(Boolean)
    .map((line) => {
      const places = line.split('L');
      const xOf = (place: string) => place.split(' ')[0];
      return `M${xOf(places[0]!)} ${bottom}L${line}L${xOf(places.at(-1)!)} ${bottom}Z`;
    })
    .join('');
}

export function graphShapes(state: GraphState, size: GraphSize, view: GraphView): Shape[] {
  const { points } = state;
  const { width, height } = size;
  const x = (index: number) => xOfPoint(points.length, index, width);
  const rate = (value: number) => ((100 - value) * height) / 100;
  const most = scoreScale(points);
  const score = (value: number) => height / 2 - (value / most) * (height / 2 - PADDING);
  const rates = points.map(({ winrate }) => winrate ?? undefined);
  const scores = points.map((point) => point.score ?? undefined);
  const line = (key: string, y: number, name: string) => shape(key, 'line', { class: name, x1: 0, y1: Math.round(y) + 0.5, x2: width, y2: Math.round(y) + 0.5 });
  const axis = (key: string, left: number, y: number, text: string, more: string, anchor: string) =>
    shape(key, 'text', { class: `kg-axis kg-${anchor} ${more}`, x: left, y }, text);
  return [
    shape('white', 'rect', { class: 'kg-white', width, height }),
    ...(view.winrate ? [shape('black', 'path', { class: 'kg-black', d: area(rates, x, rate, height) })] : []),
    line('quarter', height / 4, 'kg-quarter'),
    line('middle', height / 2, 'kg-middle'),
    line('three-quarters', (height * 3) / 4, 'kg-quarter'),
    ...(view.winrate ? [shape('rate', 'path', { class: 'kg-rate', d: curve(rates, x, rate) })] : []),
    ...(view.score ? [shape('score', 'path', { class: 'kg-score', d: curve(scores, x, score) })] : []),
    shape('losses', 'g', {}, losses(state, size, view, { x, rate, score })),
    ...(view.winrate ? [axis('top', 4, 11, '100 %', '', 'start'), axis('half', 4, height / 2 - 3, '50', '', 'start')] : []),
    ...(view.score && scores.some((value) => value !== undefined)
      ? [axis('most', width - 4, 11, `+${most}`, 'kg-axis-score', 'end'), axis('least', width - 4, height - 4, `-${most}`, 'kg-axis-score', 'end')]
      : []),
    shape('now', 'g', {}, now(state, size, view, { x, rate, score })),
  ];
}

interface Places {
  x(index: number): number;
  rate(value: number): number;
  score(value: number): number;
}

function heightOf(point: GraphPoint, size: GraphSize, view: GraphView, places: Places): number {
  if (view.winrate && point.winrate != null) {
    return places.rate(point.winrate);
  }
  return view.score && point.score != null ? places.score(point.score) : size.height / 2;
}

function losses(state: GraphState, size: GraphSize, view: GraphView, places: Places): Shape[] {
  const { doubtful, bad } = state.thresholds ?? THRESHOLDS;
  return state.points.flatMap((point, index) => {
    const loss = point.loss ?? 0;
    if (loss < doubtful) {
      return [];
    }
    const kind = loss >= bad ? 'bad' : 'doubtful';
    const y = Math.min(Math.max(heightOf(point, size, view, places), 4), size.height - 4);
    return [shape(String(index), 'circle', { class: `kg-loss kg-loss-${kind}`, cx: px(places.x(index)), cy: px(y), r: kind === 'bad' ? 3.6 : 2.8 })];
  });
}

function now(state: GraphState, size: GraphSize, view: GraphView, places: Places): Shape[] {
  const point = state.current == null ? undefined : state.points[state.current];
  if (!point) {
    return [];
  }
  const x = px(places.x(state.current!));
  const known = point.winrate != null || point.score != null;
  const line = shape('line', 'line', { class: 'kg-now', x1: x, y1: 0, x2: x, y2: size.height });
  return known ? [line, shape('dot', 'circle', { class: 'kg-now-dot', cx: x, cy: px(heightOf(point, size, view, places)), r: 3.5 })] : [line];
}

/** `move 34, Black 52.1 %, score +3.4, loss 2.0` */
export function pointText(point: GraphPoint | undefined, language: View['language']): string {
  if (!point) {
    return '';
  }
  const say = words(language);
  const parts = [say.move(point.moveNumber)];
  point.winrate != null && parts.push(say.blackRate(decimal(point.winrate)));
  point.score != null && parts.push(say.lead(decimal(point.score, true)));
  point.loss != null && point.loss > 0 && parts.push(say.loss(decimal(point.loss)));
  return parts.join(say.join);
}
