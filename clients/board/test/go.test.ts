import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnalysisUpdate, Candidate, Markup } from '../../../protocol/types';
import { cells, decimal, shortCount } from '../src/heat';
import { type Shape, toText } from '../src/shape';
import { all, drawGo, names, of, texts } from './help';

const STONES = ['.....', '.XO..', '..X..', '.....', '.....'];
const NONE: Markup = { triangles: [], squares: [], circles: [], crosses: [], selected: [], labels: [], arrows: [], lines: [], blackTerritory: [], whiteTerritory: [], dimmed: [], visible: [] };
/** Points that are coloured as candidates. */
const coloured = (shapes: Shape[]) => of(shapes, 'kb-heat').reduce((sum, { attrs }) => sum + String(attrs.d).split('M').length - 1, 0);
const candidate = (vertex: string, more: Partial<Candidate> = {}): Candidate => ({ vertex, order: 1, visits: 100, winrate: 50, pv: [vertex], ...more });
const ANALYSIS: AnalysisUpdate = {
  state: 'running',
  game: 'go',
  color: 'B',
  moves: [candidate('D3', { order: 0, visits: 12_345, winrate: 52.14, scoreLead: 1.25, prior: 36, pv: ['D3', 'D2', 'D4'] }), candidate('A1', { visits: 3, winrate: -0.01, scoreLead: -0.04, prior: 0.3 }), candidate('pass')],
  heatmap: [{ vertex: 'D3', strength: 9, text: '52.1' }, { vertex: 'A1', strength: 1, text: '' }, { vertex: 'pass', strength: 2, text: '50.0' }],
};

test('stones, coordinates, stars, last move and ko', () => {
  const shapes = drawGo({ board: { stones: STONES, toPlay: 'B', lastMove: { color: 'W', vertex: 'C4' }, ko: 'D4' } });
  assert.equal(of(shapes, 'kb-black').length, 2);
  assert.equal(of(shapes, 'kb-white').length, 1);
  assert.equal(texts(shapes, 'kb-coordinate').join(' '), 'A A B B C C D D E E 5 5 4 4 3 3 2 2 1 1');
  assert.equal(of(shapes, 'kb-star').length, 1);
  assert.equal(of(shapes, 'kb-last')[0]!.attrs.class, 'kb-last kb-on-white');
  assert.equal(of(shapes, 'kb-ko').length, 1);
});

test('what is on the points is said', () => {
  const markup = { ...NONE, triangles: ['B4'], labels: [{ vertex: 'C4', text: 'A' }], blackTerritory: ['A1'] };
  const board = { stones: STONES, toPlay: 'B' as const, lastMove: { color: 'W' as const, vertex: 'C4' }, ko: 'D4', markup };
  const said = names(drawGo({ board, analysis: ANALYSIS, numbers: { C3: 7 } }));
  assert.equal(said.size, 25);
  const table: Record<string, string> = {
    B4: 'B4 black stone, triangle',
    C4: 'C4 white stone, last move, label A',
    C3: 'C3 black stone, move 7',
    D4: 'D4 empty, ko',
    A1: 'A1 empty, black territory, win rate 0.0, score 0.0, 3 visits',
    D3: 'D3 empty, best move, win rate 52.1, score +1.3, 12345 visits',
    E5: 'E5 empty',
  };
  for (const [vertex, label] of Object.entries(table)) {
    assert.equal(said.get(vertex), label);
  }
  const chinese = names(drawGo({ board }, { language: 'zh' }));
  assert.equal(chinese.get('C4'), 'C4 白子，最后一手，标签 A');
});

test('one cell takes the focus: the middle, or where the keyboard is', () => {
  const focusable = (touch = {}) => all(drawGo({ board: { stones: STONES } }, {}, touch)).filter(({ attrs }) => attrs.tabindex === 0).map(({ attrs }) => attrs.id);
  assert.deepEqual(focusable(), ['x-2-2']);
  assert.deepEqual(focusable({ focus: { x: 4, y: 0 } }), ['x-4-0']);
});

test('every kind of markup is drawn, in the colour of its ground', () => {
  const markup = { ...NONE, triangles: ['B4'], squares: ['C4'], circles: ['A1'], crosses: ['B1'], selected: ['C1'], labels: [{ vertex: 'E5', text: 'a' }, { vertex: 'E4', text: '' }], arrows: [['A5', 'A2']], lines: [['B5', 'E5'], ['pass', 'A1']], blackTerritory: ['D1'], whiteTerritory: ['E1'], dimmed: ['C3', 'A5'] };
  const shapes = drawGo({ board: { stones: STONES, markup } });
  const grounds = of(shapes, 'kb-mark').map(({ key, attrs }) => `${key} ${String(attrs.class).split(' ').at(-1)}`);
  assert.deepEqual(grounds, ['triangles-B4 kb-on-black', 'squares-C4 kb-on-white', 'circles-A1 kb-on-board', 'crosses-B1 kb-on-board', 'selected-C1 kb-on-board']);
  assert.deepEqual(['kb-label', 'kb-arrow', 'kb-line', 'kb-territory', 'kb-dim', 'kb-veil', 'kb-patch'].map((name) => of(shapes, name).length), [1, 1, 1, 2, 1, 1, 1]);
  assert.equal(of(drawGo({ board: { stones: STONES, markup } }, { markup: false }), 'kb-mark').length, 0);
});

test('VW leaves the rest in the dark', () => {
  const shapes = drawGo({ board: { stones: STONES, markup: { ...NONE, visible: ['B4', 'B3'] } } });
  assert.equal(of(shapes, 'kb-dim').length, 2);
  assert.equal(String(of(shapes, 'kb-veil')[0]!.attrs.d).split('M').length - 1, 23);
});

test('a mark or a number stands in for the ring of the last move', () => {
  const board = { stones: STONES, lastMove: { color: 'W' as const, vertex: 'C4' } };
  const rings = (state: object) => of(drawGo({ board, ...state }), 'kb-last').length;
  assert.equal(rings({}), 1);
  assert.equal(rings({ numbers: { C4: 3 } }), 0);
  assert.equal(rings({ board: { ...board, markup: { ...NONE, circles: ['C4'] } } }), 0);
  assert.equal(rings({ board: { ...board, lastMove: { color: 'W', vertex: 'pass' } } }), 0);
});

test('long labels are cut, and all fit their point', () => {
  const size = (text: string) => {
    const [found] = of(drawGo({ board: { stones: STONES, markup: { ...NONE, labels: [{ vertex: 'A1', text }] } } }), 'kb-label');
    return `${found!.text} ${Number(found!.attrs['font-size']) < 36}`;
  };
  assert.deepEqual(['A', '123', '黑', 'a long one', '😀😀😀😀😀'].map(size), ['A false', '123 false', '黑 false', 'a lo… true', '😀😀😀😀… true']);
});

test('numbers on candidates', () => {
  const show = (heat: 'text' | 'winrate' | 'score' | 'policy', visits = true) => cells(ANALYSIS, { heat, visits }).map((cell) => `${cell.vertex} ${cell.strength} ${cell.text}|${cell.visits}${cell.best ? ' best' : ''}`);
  assert.deepEqual(show('text'), ['D3 9 52.1|12k best', 'A1 1 |', 'pass 2 50.0|100']);
  assert.deepEqual(show('score'), ['D3 9 +1.3|12k best', 'A1 1 |', 'pass 2 |']);
  assert.deepEqual(show('winrate', false), ['D3 9 52.1| best', 'A1 1 |', 'pass 2 50.0|']);
  // The root of 0.36 is 0.6, six tenths of nine; 0.3 % is next to nothing, and no prior is no cell.
  assert.deepEqual(show('policy'), ['D3 5 36| best', 'A1 1 0.3|']);
  assert.deepEqual([0, 9, 999, 1000, 9949, 9950, 12_345, 999_499, 999_500, 5_600_000].map(shortCount), ['0', '9', '999', '1.0k', '9.9k', '10k', '12k', '999k', '1.0M', '5.6M']);
  assert.deepEqual([0, -0.04, 0.04, 1.25, -3].map((value) => decimal(value, true)), ['0.0', '0.0', '0.0', '+1.3', '-3.0']);
});

test('what cannot be read is left out', () => {
  const at = (width: number) => {
    const shapes = drawGo({ board: { stones: Array(19).fill('.'.repeat(19)), toPlay: 'B' }, analysis: { ...ANALYSIS, heatmap: [{ vertex: 'D3', strength: 9, text: '52.1' }] } }, {}, {}, width);
    const inside = (name: string) => of(shapes, name)[0]?.children?.length;
    return [coloured(shapes), inside('kb-heat-text'), inside('kb-heat-visits'), of(shapes, 'kb-coordinate').length];
  };
  assert.deepEqual(at(200), [1, 0, 0, 0]);
  assert.deepEqual(at(370), [1, 1, 0, 76]);
  assert.deepEqual(at(600), [1, 1, 1, 76]);
});

test('an analysis of another node is not shown', () => {
  const at = (board: (string | number)[], analysis: (string | number)[]) =>
    coloured(drawGo({ board: { stones: STONES, node: { game: 0, path: board } }, analysis: { ...ANALYSIS, node: { game: 0, path: analysis } } }));
  assert.equal(at(['0*3', 1], ['0*3', 1]), 2);
  assert.equal(at(['0*3', 1], ['0*4']), 0);
});

test('the line of a candidate is played out under the pointer and under the focus', () => {
  const state = { board: { stones: STONES, toPlay: 'B' as const }, analysis: ANALYSIS };
  for (const touch of [{ hover: { x: 3, y: 2 } }, { focus: { x: 3, y: 2 } }]) {
    const shapes = drawGo(state, {}, touch);
    assert.deepEqual(texts(shapes, 'kb-line-number'), ['1', '2', '3']);
    // D3 and D4 take nothing yet: C4 still has C5.
    assert.equal(of(shapes, 'kb-white').length, 2);
    assert.equal(of(shapes, 'kb-heat').length, 0);
  }
  assert.equal(of(drawGo(state, { hoverLine: false }, { hover: { x: 3, y: 2 } }), 'kb-line-number').length, 0);
  const taking = drawGo({ board: { stones: ['.X.', 'XO.', '.X.'] }, line: { color: 'B', moves: ['C2', 'pass'] } });
  assert.equal(of(taking, 'kb-white').length, 0);
  const half = drawGo({ ...state, line: { color: 'B', moves: ['D3', 'D2', 'D4'], ply: 1 } });
  assert.deepEqual(texts(half, 'kb-line-number'), ['1']);
});

test('a stone of the side to move hovers over free points only', () => {
  const hovering = (x: number, y: number) => of(drawGo({ board: { stones: STONES, toPlay: 'W' } }, {}, { hover: { x, y } }), 'kb-hover').map(({ attrs }) => attrs.class);
  assert.deepEqual(hovering(0, 0), ['kb-stone kb-white kb-hover']);
  assert.deepEqual(hovering(1, 1), []);
});

test('ownership: one path a side, nothing on stones of their owner and under candidates', () => {
  const ownership = Array<number>(25).fill(0);
  ownership[0] = 1;
  ownership[6] = 1; // B4, black
  ownership[7] = 0.8; // C4, white: dead
  ownership[13] = 0.9; // D3, a candidate
  ownership[24] = -0.5;
  ownership[23] = 0.01;
  const squares = (analysis: AnalysisUpdate) => of(drawGo({ board: { stones: STONES }, analysis }), 'kb-ownership').map(({ key, attrs }) => `${key} ${String(attrs.d).split('M').length - 1}`);
  assert.deepEqual(squares({ ...ANALYSIS, ownership }), ['black 2', 'white 1']);
  assert.deepEqual(squares({ ...ANALYSIS, ownership: [1, 2] }), []);
});

test('no size and no width brings a number that is none, and no key comes twice among siblings', () => {
  for (const [columns, rows] of [[1, 1], [2, 2], [3, 7], [19, 19], [19, 2], [52, 52]] as const) {
    for (const width of [0, 200, 500]) {
      const stones = Array.from({ length: rows }, () => 'XO.'.repeat(18).slice(0, columns));
      const shapes = drawGo({ board: { stones, toPlay: 'B', lastMove: { color: 'B', vertex: 'A1' } }, variations: [{ vertex: 'A1', text: 'A' }], ghosts: [{ vertex: 'B2', color: 'W', text: 'x' }] }, {}, { hover: { x: 0, y: 0 }, focus: { x: 0, y: 0 } }, width);
      for (const { attrs, children } of all(shapes)) {
        assert.ok(!/NaN|Infinity|undefined/.test(Object.values(attrs).join()), `${columns}x${rows} ${width}: ${JSON.stringify(attrs)}`);
        assert.equal(new Set(children?.map(({ key }) => key)).size, children?.length ?? 0);
      }
    }
  }
});

test('texts are escaped in files', () => {
  const shapes = drawGo({ board: { stones: STONES, markup: { ...NONE, labels: [{ vertex: 'A1', text: '<&"\u0001' }, { vertex: 'B1', text: '😀\ud83d' }] } } });
  const text = shapes.map(toText).join('');
  assert.ok(text.includes('>&lt;&amp;&quot;</text>') && text.includes('>😀\ufffd</text>'));
});
