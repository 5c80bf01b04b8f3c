import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yOf } from '../src/grid';
import { moved } from '../src/xiangqi';
import { drawXiangqi, names, of, pointsOf, START, texts } from './help';

const board = pointsOf(START);
const moves = [{ iccs: 'h2e2', captured: '' }, { iccs: 'h2h9', captured: 'n' }, { iccs: 'h0g2', captured: '' }];

test('the start: 32 pieces with their faces, river, palaces, stations', () => {
  const { shapes } = drawXiangqi({ position: { board } });
  assert.equal(texts(shapes, 'kb-face').join(''), '車馬象士將士象馬車砲砲卒卒卒卒卒兵兵兵兵兵炮炮俥傌相仕帥仕相傌俥');
  assert.deepEqual(texts(shapes, 'kb-river'), ['楚河', '漢界']);
  assert.equal(texts(drawXiangqi({ position: { board } }, { pieces: 'simplified' }).shapes, 'kb-face').join('').slice(0, 9), '车马象士将士象马车');
  // Ten soldiers and four cannons; two corners a side, the edge files have one side only: 10*4 + 4*2.
  assert.equal(String(of(shapes, 'kb-stations')[0]!.attrs.d).split('M').length - 1, 48);
});

test('files: Chinese numerals below for Red, digits above for Black, from the right hand of each', () => {
  const along = (flipped: boolean) => {
    const { shapes, grid } = drawXiangqi({ position: { board } }, { flipped });
    const middle = yOf(grid, 4);
    const row = (above: boolean) =>
      of(shapes, 'kb-coordinate')
        .filter(({ attrs }) => Number(attrs.y) < middle === above)
        .sort((a, b) => Number(a.attrs.x) - Number(b.attrs.x))
        .map(({ text }) => text)
        .join('');
    return [row(true), row(false)];
  };
  assert.deepEqual(along(false), ['123456789', '九八七六五四三二一']);
  assert.deepEqual(along(true), ['一二三四五六七八九', '987654321']);
});

test('the piece that is picked up shows where it may go', () => {
  const selected = { x: 7, y: 7 };
  const { shapes } = drawXiangqi({ position: { board, turn: 'r' }, moves }, {}, { selected });
  assert.deepEqual(['kb-selected-piece', 'kb-target', 'kb-target-take'].map((name) => of(shapes, name).length), [1, 1, 1]);
  const said = names(shapes);
  assert.equal(said.get('h2'), 'h2 red cannon, selected');
  assert.equal(said.get('e2'), 'e2 empty, can be moved here');
  assert.equal(said.get('h9'), 'h9 black horse, can be taken');
  assert.equal(said.get('a1'), 'a1 empty');
});

test('check, last move, arrows', () => {
  const { shapes } = drawXiangqi({ position: { board, turn: 'b', inCheck: true }, lastMove: 'h2e2', arrows: [{ move: 'b9c7', kind: 'best', text: '1' }, { move: 'nonsense' }] });
  assert.equal(of(shapes, 'kb-check-ring').length, 1);
  assert.equal(names(shapes).get('e9'), 'e9 black general, in check');
  assert.deepEqual(['kb-last-from', 'kb-last-to', 'kb-arrow', 'kb-badge'].map((name) => of(shapes, name).length), [1, 1, 1, 1]);
});

test('a line is played out', () => {
  const after = moved(board, ['h2e2', 'b9c7', 'e2e6', 'a5a6', 'h0g2']);
  assert.equal(after[3 * 9 + 4], 'C');
  assert.equal(after[2 * 9 + 2], 'n');
  assert.equal(after[7 * 9 + 6], '', 'nothing stands on a5: the line ends there');
  const { shapes } = drawXiangqi({ position: { board }, line: { moves: ['h2e2', 'h9g7'], ply: 1 } });
  assert.equal(texts(shapes, 'kb-face').length, 32);
  assert.equal(names(shapes).size, 90);
});
