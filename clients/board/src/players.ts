/** Who plays, what was taken, and the clocks. Between two reports of kifud the clock of the side to move runs on here. */
import type { Captures, ClockInfo, Info } from '../../../protocol/types';
import type { Theme } from './board';
import { Canvas } from './patch';
import { shape, type Shape } from './shape';
import type { View } from './state';
import { dress } from './style';
import { type Words, words } from './words';

export type PlayerSide = 'B' | 'W' | 'r' | 'b';

export interface PlayersState {
  readonly info?: Partial<Info> | null;
  readonly captures?: Captures | null;
  readonly toPlay?: PlayerSide | null;
  /** As in `game/update`. */
  readonly clocks?: { readonly B: ClockInfo; readonly W: ClockInfo } | null;
  /** Whether the clock of the side to move is running. */
  readonly running?: boolean;
  readonly xiangqi?: boolean;
}

export interface PlayersOptions {
  readonly theme?: Theme;
  readonly language?: View['language'];
}

export interface Players {
  update(state: PlayersState): void;
  setTheme(theme: Theme): void;
  destroy(): void;
}

/** Less than this is a hurry. */
const HURRY_MS = 10_000;

/** `1:02:03`, `4:05`, and below ten seconds tenths: `9.7`. */
export function clockText(ms: number): string {
  if (ms < HURRY_MS) {
    return (Math.floor(Math.max(ms, 0) / 100) / 10).toFixed(1);
  }
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** What is left after some time: first of the main time, then of the period. Only kifud knows when a period is over,
 * so a clock stands at nothing until it says more. */
export function afterTime(clock: ClockInfo, ms: number): ClockInfo {
  const main = Math.max(clock.mainMs - ms, 0);
  const over = Math.max(ms - clock.mainMs, 0);
  return { ...clock, mainMs: main, overtimeMs: Math.max(clock.overtimeMs - over, 0) };
}

export function playersShapes(state: PlayersState, elapsedMs: number, say: Words): Shape[] {
  const sides: PlayerSide[] = state.xiangqi ? ['r', 'b'] : ['B', 'W'];
  return sides.map((side) => player(state, side, elapsedMs, say));
}

function player(state: PlayersState, side: PlayerSide, elapsedMs: number, say: Words): Shape {
  const first = side === 'B' || side === 'r';
  const { info, captures, clocks } = state;
  const turn = state.toPlay === side;
  const name = (first ? info?.black : info?.white) || (side === 'r' ? say.red : say.played[side === 'W' ? 'W' : 'B']);
  const rank = first ? info?.blackRank : info?.whiteRank;
  const more = [
    ...(captures && !state.xiangqi ? [`${say.captures} ${captures[first ? 'B' : 'W']}`] : []),
    ...(!first && info?.komi != null ? [`${say.komi} ${info.komi}`] : []),
    ...(first && info?.result ? [info.result] : []),
  ];
  const inside = [
    shape('stone', 'span', { class: 'kifud-player-stone', 'aria-hidden': 'true' }),
    shape('name', 'span', { class: 'kifud-player-name', title: name }, rank ? `${name} ${rank}` : name),
    shape('more', 'span', { class: 'kifud-player-more' }, more.join(' · ')),
  ];
  const clock = clocks?.[first ? 'B' : 'W'];
  if (clock) {
    const left = turn && state.running ? afterTime(clock, elapsedMs) : clock;
    const ms = left.mainMs > 0 ? left.mainMs : left.overtimeMs;
    const text = left.mainMs <= 0 && left.count > 0 ? `${clockText(ms)} (${left.count})` : clockText(ms);
    inside.push(shape('clock', 'span', { class: 'kifud-player-clock', role: 'timer', 'data-hurry': String(turn && ms < HURRY_MS) }, text));
  }
  return shape(side, 'div', { class: 'kifud-player', 'data-side': side, 'data-turn': String(turn), ...(turn && { 'aria-current': 'true' }) }, inside);
}

export function createPlayers(host: HTMLElement, options: PlayersOptions = {}): Players {
  const box = document.createElement('div');
  const canvas = new Canvas(box, 'http://www.w3.org/1999/xhtml');
  const say = words(options.language ?? 'en');
  let state: PlayersState = {};
  let since = performance.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const draw = () => canvas.draw(playersShapes(state, performance.now() - since, say));

  dress(host);
  host.classList.add('kifud');
  host.dataset.theme = options.theme ?? 'auto';
  box.className = 'kifud-players';
  host.append(box);
  draw();

  return {
    update(next) {
      state = next;
      since = performance.now();
      clearInterval(timer);
      timer = next.running && next.clocks && next.toPlay ? setInterval(draw, 100) : undefined;
      draw();
    },
    setTheme(theme) {
      host.dataset.theme = theme;
    },
    destroy() {
      clearInterval(timer);
      box.remove();
      host.classList.remove('kifud');
    },
  };
}
