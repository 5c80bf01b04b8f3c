/** The board itself: wood, and the paints that all drawings share. */
import type { Grid } from './grid';
import { px, type Shape, layer, shape } from './shape';

/** Paints by name. Several boards can stand in one page, so their names begin with the board's own. */
export interface Paints {
  readonly id: string;
}

export function paint(paints: Paints, name: string): string {
  return `url(#${paints.id}-${name})`;
}

function stops(...names: string[]): Shape[] {
  return names.map((name, index) =>
    shape(name, 'stop', { class: `kb-stop-${name}`, offset: `${Math.round((index * 100) / (names.length - 1))}%` }),
  );
}

/** Colours are left to the style sheet, also those of gradients. */
export function defs(paints: Paints): Shape {
  const ball = (name: string) =>
    shape(name, 'radialGradient', { id: `${paints.id}-${name}`, cx: '50%', cy: '50%', r: '55%', fx: '33%', fy: '28%' }, stops(`${name}-light`, `${name}-body`, `${name}-edge`));
  const wood = shape('wood', 'linearGradient', { id: `${paints.id}-wood`, x1: '0%', y1: '0%', x2: '100%', y2: '100%' }, stops('wood-light', 'wood-body', 'wood-edge'));
  return shape('defs', 'defs', {}, [wood, ball('black'), ball('white'), ball('piece')]);
}

/** Slow waves from top to bottom, the same every time: no two boards of one size differ. */
function grain(width: number, height: number): string {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const lines: string[] = [];
  for (let x = random() * 9; x < width; x += 4 + random() * 15) {
    const bend = () => px(x + (random() - 0.5) * 13);
    lines.push(`M${px(x)} 0C${bend()} ${px(height / 3)} ${bend()} ${px((height * 2) / 3)} ${bend()} ${height}`);
  }
  return lines.join('');
}

export function wood(grid: Grid, paints: Paints): Shape {
  const { width, height } = grid;
  return layer('wood', [
    shape('board', 'rect', { class: 'kb-board', width, height, rx: 3, fill: paint(paints, 'wood') }),
    shape('grain', 'path', { class: 'kb-grain', d: grain(width, height) }),
    shape('rim', 'rect', { class: 'kb-rim', x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 3 }),
  ]);
}
