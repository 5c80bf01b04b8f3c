import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paletteOf, resolved, svgFile } from '../src/export';
import { curve, graphShapes, pointNear, pointText, scoreScale, xOfPoint } from '../src/graph';
import { afterTime, clockText, playersShapes } from '../src/players';
import { BOARD_STYLE, THEMES } from '../src/style';
import { words } from '../src/words';
import { all, drawGo, of, texts } from './help';

const VIEW = { winrate: true, score: true, language: 'en' } as const;
const SIZE = { width: 116, height: 100 };

test('curves: gaps where values are missing, extremes where pixels are short', () => {
  const x = (index: number) => index * 10;
  const y = (value: number) => 100 - value;
  assert.equal(curve([50, undefined, 40, 60], x, y), 'M0 50M20 60L30 40');
  assert.equal(curve([], x, y), '');
  const many = Array.from({ length: 37_000 }, (_, index) => (index === 20_001 ? 99 : index === 20_002 ? 1 : 50));
  const path = curve(many, (index) => (index * 300) / 37_000, y);
  assert.ok(path.split('L').length < 1300);
  assert.ok(path.includes(' 1L') && path.includes(' 99L'), 'the spike is kept');
});

test('the point that is nearest to a place', () => {
  assert.deepEqual([-5, 8, 57, 58, 63, 108, 500].map((place) => pointNear(11, place, 116)), [0, 0, 5, 5, 6, 10, 10]);
  assert.equal(pointNear(1, 3, 116), 0);
  assert.equal(pointNear(0, 3, 116), undefined);
  assert.equal(xOfPoint(11, 10, 116), 108);
});

test('the score scale: 10 at least, then round numbers', () => {
  const scale = (score: number) => scoreScale([{ moveNumber: 1, score }, { moveNumber: 2 }]);
  assert.deepEqual([0, -10, 10.5, -21, 99, 3000, 30_000].map(scale), [10, 10, 20, 50, 100, 5000, 30_000]);
});

test('graph: losses are marked, the current move has a line', () => {
  const points = [{ moveNumber: 0, winrate: 50, score: 0 }, { moveNumber: 1, winrate: 40, score: -2, loss: 3 }, { moveNumber: 2, winrate: 70, loss: 9 }, { moveNumber: 3, loss: 1 }];
  const shapes = graphShapes({ points, current: 2 }, SIZE, VIEW);
  assert.deepEqual(of(shapes, 'kg-loss').map(({ key, attrs }) => `${key} ${attrs.class}`), ['1 kg-loss kg-loss-doubtful', '2 kg-loss kg-loss-bad']);
  assert.equal(of(shapes, 'kg-now')[0]!.attrs.x1, 74.67);
  assert.equal(of(shapes, 'kg-now-dot')[0]!.attrs.cy, 30);
  assert.equal(pointText(points[1], 'en'), 'move 1, Black 40.0 %, score -2.0, loss 3.0');
  assert.equal(pointText(points[1], 'zh'), '第1手，黑方 40.0 %，目差 -2.0，损失 3.0');
  for (const count of [0, 1, 2, 500]) {
    const some = Array.from({ length: count }, (_, moveNumber) => ({ moveNumber, winrate: moveNumber % 3 ? 50 : null }));
    assert.ok(!/NaN|Infinity/.test(JSON.stringify(graphShapes({ points: some, current: 7 }, SIZE, VIEW))));
  }
});

test('clocks', () => {
  const table: [number, string][] = [[0, '0.0'], [-5, '0.0'], [9_999, '9.9'], [10_000, '0:10'], [65_000, '1:05'], [3_600_000, '1:00:00'], [3_725_900, '1:02:05']];
  for (const [ms, text] of table) {
    assert.equal(clockText(ms), text);
  }
  const clock = { mainMs: 3000, overtimeMs: 30_000, count: 3 };
  assert.deepEqual(afterTime(clock, 1000), { mainMs: 2000, overtimeMs: 30_000, count: 3 });
  assert.deepEqual(afterTime(clock, 5000), { mainMs: 0, overtimeMs: 28_000, count: 3 });
  assert.deepEqual(afterTime(clock, 99_000), { mainMs: 0, overtimeMs: 0, count: 3 });
});

test('players: only the clock of the side to move runs on', () => {
  const clock = { mainMs: 60_000, overtimeMs: 30_000, count: 5 };
  const state = { info: { black: '黑猫', blackRank: '9p', komi: 6.5 }, captures: { B: 2, W: 0 }, toPlay: 'W', clocks: { B: { ...clock, mainMs: 0 }, W: clock }, running: true } as const;
  const shapes = playersShapes(state, 55_000, words('en'));
  assert.deepEqual(texts(shapes, 'kifud-player-clock'), ['0:30 (5)', '5.0']);
  assert.deepEqual(texts(shapes, 'kifud-player-name'), ['黑猫 9p', 'White']);
  assert.deepEqual(texts(shapes, 'kifud-player-more'), ['captures 2', 'captures 0 · Komi 6.5']);
  assert.deepEqual(shapes.map(({ attrs }) => attrs['data-turn']), ['false', 'true']);
  assert.deepEqual(texts(playersShapes({ xiangqi: true }, 0, words('zh')), 'kifud-player-name'), ['红', '黑']);
});

test('files: no variables are left, no cells for the keyboard, well-formed', () => {
  const shapes = drawGo({ board: { stones: ['XO', '..'] } }, {}, { focus: { x: 0, y: 0 } });
  for (const theme of ['light', 'dark', 'contrast'] as const) {
    const text = svgFile(shapes, { width: 200, height: 200 }, paletteOf(theme), 'a < b');
    assert.ok(!text.includes('var(') && !text.includes('gridcell') && !text.includes('kb-focus-outer"'));
    assert.ok(text.startsWith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200"') && text.includes('<title>a &lt; b</title>'));
    const opened = text.match(/<[a-z]/gi)!.length;
    assert.equal(opened, text.match(/<\/|\/>/g)!.length);
  }
});

test('every variable of the style has a value in every theme', () => {
  const names = new Set(BOARD_STYLE.match(/(?<=var\()--[\w-]+(?=\))/g));
  assert.ok(names.size > 40);
  for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
    const palette = paletteOf(theme);
    assert.deepEqual([...names].filter((name) => !(name in palette)), [], theme);
  }
  assert.equal(resolved('a { x: var(--a); y: var(--b, none); z: var(--c, #fff) }', { '--a': '1', '--c': '3' }), 'a { x: 1; y: none; z: 3 }');
});

/** A colour that lets some of another through. */
function over(color: string, ground: string, opacity: number): string {
  const part = (hex: string, at: number) => parseInt(hex.slice(at, at + 2), 16);
  return `#${[1, 3, 5].map((at) => Math.round(part(color, at) * opacity + part(ground, at) * (1 - opacity)).toString(16).padStart(2, '0')).join('')}`;
}

test('what is drawn on the bare board can be seen: 3 to 1', () => {
  for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
    const palette = paletteOf(theme);
    for (const name of ['line', 'mark', 'arrow', 'last', 'ko']) {
      const ratio = contrast(palette[`--kifud-${name}`]!, palette['--kifud-wood-body']!);
      assert.ok(ratio >= (name === 'line' ? 2.5 : 3), `${theme}: ${name} is ${ratio.toFixed(2)}`);
    }
  }
});

test('numbers on candidates of every strength can be read', () => {
  for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
    const palette = paletteOf(theme);
    for (let strength = 1; strength <= 9; strength += 1) {
      const opacity = Number(palette[`--kifud-heat-opacity-${strength}`] ?? palette['--kifud-heat-opacity']);
      const ground = over(palette[`--kifud-heat-${strength}`]!, palette['--kifud-wood-body']!, opacity);
      const ratio = contrast(palette[strength <= 4 ? '--kifud-heat-faint' : '--kifud-heat-text']!, ground);
      assert.ok(ratio >= 4.5, `${theme}, ${strength}: ${ratio.toFixed(2)}`);
    }
  }
});

/** Contrast as WCAG 2 counts it. */
function contrast(a: string, b: string): number {
  const light = (color: string) => {
    const full = color.length === 4 ? [...color.slice(1)].map((sign) => sign + sign).join('') : color.slice(1);
    const [r, g, bl] = [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16) / 255).map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y) as [number, number];
  return (bright + 0.05) / (dark + 0.05);
}

test('what is written can be read on its ground: 4.5 to 1, with high contrast 7 to 1', () => {
  const pairs = [
    ['coordinate', 'wood-body'], ['on-board', 'wood'], ['on-black', 'black-body'], ['on-white', 'white-body'], ['accent-on-black', 'black-body'],
    ['red', 'piece-body'], ['dark', 'piece-body'], ['text', 'page'], ['faint', 'panel'],
  ];
  for (const theme of Object.keys(THEMES) as (keyof typeof THEMES)[]) {
    const palette = paletteOf(theme);
    for (const [text, ground] of pairs) {
      const ratio = contrast(palette[`--kifud-${text}`]!, palette[`--kifud-${ground}`]!);
      const least = theme === 'contrast' && text !== 'red' ? 7 : 4.5;
      assert.ok(ratio >= least, `${theme}: ${text} on ${ground} is ${ratio.toFixed(2)}`);
    }
  }
});

test('the shapes of a drawing carry no style attribute, which a strict page would refuse', () => {
  assert.ok(all(drawGo({ board: { stones: ['X.'] } })).every(({ attrs }) => !('style' in attrs)));
  assert.ok(all(graphShapes({ points: [{ moveNumber: 1, winrate: 3, score: 5 }] }, SIZE, VIEW)).every(({ attrs }) => !('style' in attrs)));
});
