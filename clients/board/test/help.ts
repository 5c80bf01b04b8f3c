import { fit, type Grid } from '../src/grid';
import { goShapes } from '../src/go';
import { playOut } from '../src/playout';
import type { Shape } from '../src/shape';
import { type GoState, type Touch, type View, VIEW, type XiangqiState } from '../src/state';
import { xiangqiShapes } from '../src/xiangqi';

export const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR';

/** The 90 points of the first field of a FEN. */
export function pointsOf(fen: string): string[] {
  return fen.split('/').flatMap((row) => [...row].flatMap((sign) => (/\d/.test(sign) ? Array<string>(Number(sign)).fill('') : [sign])));
}

export function drawGo(state: Omit<GoState, 'game'>, view: Partial<View> = {}, touch: Touch = {}, width = 600): Shape[] {
  const { stones } = state.board;
  const whole = { ...VIEW, ...view };
  const grid = fit(stones[0]!.length, stones.length, { width, coordinates: whole.coordinates, flipped: whole.flipped });
  return goShapes({ game: 'go', ...state }, whole, touch, { grid, paints: { id: 'x' } }, playOut);
}

export function drawXiangqi(state: Omit<XiangqiState, 'game'>, view: Partial<View> = {}, touch: Touch = {}): { shapes: Shape[]; grid: Grid } {
  const whole = { ...VIEW, ...view };
  const grid = fit(9, 10, { width: 500, coordinates: whole.coordinates, flipped: whole.flipped });
  return { shapes: xiangqiShapes({ game: 'xiangqi', ...state }, whole, touch, { grid, paints: { id: 'x' } }), grid };
}

export function all(shapes: readonly Shape[]): Shape[] {
  return shapes.flatMap((shape) => [shape, ...all(shape.children ?? [])]);
}

/** Shapes that have a class. */
export function of(shapes: readonly Shape[], name: string): Shape[] {
  return all(shapes).filter(({ attrs }) => String(attrs.class ?? '').split(' ').includes(name));
}

export function texts(shapes: readonly Shape[], name: string): string[] {
  return of(shapes, name).map(({ text }) => text ?? '');
}

/** Names of all points, by what comes before the first space. */
export function names(shapes: readonly Shape[]): Map<string, string> {
  const labels = all(shapes).flatMap(({ attrs }) => (attrs.role === 'gridcell' ? [String(attrs['aria-label'])] : []));
  return new Map(labels.map((label) => [label.split(' ')[0]!, label]));
}
