import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playOut } from '../src/playout';

const line = (stones: string[], color: 'B' | 'W', moves: string) => {
  const { stones: after, placed, plies } = playOut(stones, color, moves.split(' '));
  const order = placed.map(({ point, number, stands }) => `${number}@${point.x},${point.y}${stands ? '' : ' taken'}`);
  return { after, order: order.join(' '), plies };
};

test('lines played out', () => {
  const table: [string, string[], 'B' | 'W', string, string[], string, number][] = [
    ['one after the other', ['...', '...', '...'], 'B', 'A3 C1', ['X..', '...', '..O'], '1@0,0 2@2,2', 2],
    ['a stone in the corner is taken', ['OX.', '...', '...'], 'B', 'A2', ['.X.', 'X..', '...'], '1@0,1', 1],
    ['a chain is taken', ['OOX', 'XX.', '...'], 'W', 'C2 pass C1', ['OO.', 'XXO', '..O'], '1@2,1 3@2,2', 3],
    ['two chains at once', ['OX.', 'XO.', 'OX.'], 'B', 'C2', ['OX.', 'X.X', 'OX.'], '1@2,1', 1],
    ['a pass counts and leaves nothing', ['...', '...', '...'], 'W', 'pass B2 PASS A1', ['...', '.X.', 'X..'], '2@1,1 4@0,2', 4],
    ['ko: a number stays with the first stone of a point', ['.XO.', 'XO.O', '.XO.', '....'], 'B', 'C3 D1 A1 B3', ['.XO.', 'XO.O', '.XO.', 'X..O'], '1@2,1 taken 2@3,3 3@0,3 4@1,1', 4],
    ['it ends before a stone that stands already', ['X..', '...', '...'], 'W', 'B2 A3 C3', ['X..', '.O.', '...'], '1@1,1', 1],
    ['it ends before what is no vertex', ['...', '...', '...'], 'B', 'A1 Z9 B1', ['...', '...', 'X..'], '1@0,2', 1],
    ['suicide is done', ['.X.', 'X..', '...'], 'W', 'A3', ['.X.', 'X..', '...'], '1@0,0 taken', 1],
  ];
  for (const [what, stones, color, moves, after, order, plies] of table) {
    assert.deepEqual(line(stones, color, moves), { after, order, plies }, what);
  }
});

test('a large chain is taken in one go', () => {
  // 52x52 white stones with one liberty in the corner.
  const rows = Array.from({ length: 52 }, (_, y) => (y === 0 ? '.' : 'O') + 'O'.repeat(51));
  assert.equal(playOut(rows, 'B', ['A52']).stones.join('').replaceAll('.', ''), 'X');
});
