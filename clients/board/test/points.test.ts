import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fit, pointAt, stars, xOf, yOf } from '../src/grid';
import { columnName, parseMove, parseSquare, parseVertex, squareName, vertexName } from '../src/vertex';

test('vertices in GTP spelling', () => {
  const table: [string, number, number, { x: number; y: number } | undefined][] = [
    ['A1', 19, 19, { x: 0, y: 18 }],
    ['T19', 19, 19, { x: 18, y: 0 }],
    ['J9', 9, 9, { x: 8, y: 0 }],
    ['q16', 19, 19, { x: 15, y: 3 }],
    ['AA52', 52, 52, { x: 25, y: 0 }],
    ['BB1', 52, 52, { x: 51, y: 51 }],
    ['I5', 19, 19, undefined],
    ['T1', 9, 9, undefined],
    ['A20', 19, 19, undefined],
    ['A0', 19, 19, undefined],
    ['pass', 19, 19, undefined],
    ['', 19, 19, undefined],
  ];
  for (const [text, columns, rows, expected] of table) {
    assert.deepEqual(parseVertex(text, columns, rows), expected, text);
  }
});

test('columns skip I; after Z come AA, AB, then BA', () => {
  assert.equal([0, 7, 8, 18, 24, 25, 26, 50, 51].map(columnName).join(' '), 'A H J T Z AA AB BA BB');
  for (let x = 0; x < 52; x += 1) {
    assert.deepEqual(parseVertex(vertexName({ x, y: 3 }, 52), 52, 52), { x, y: 3 });
  }
});

test('xiangqi points in ICCS', () => {
  assert.deepEqual(parseSquare('h2'), { x: 7, y: 7 });
  assert.equal(squareName({ x: 4, y: 9 }), 'e0');
  assert.deepEqual(parseMove('h2e2'), { from: { x: 7, y: 7 }, to: { x: 4, y: 7 } });
  assert.deepEqual(['h2', 'h10e2', 'j2e2', 'h2e2x', ''].map(parseMove), Array(5).fill(undefined));
});

test('star points', () => {
  const show = (columns: number, rows: number) => stars(columns, rows).map((point) => vertexName(point, rows)).sort().join(' ');
  const table: [number, number, string][] = [
    [19, 19, 'D10 D16 D4 K10 K16 K4 Q10 Q16 Q4'],
    [13, 13, 'D10 D4 G7 K10 K4'],
    [9, 9, 'C3 C7 E5 G3 G7'],
    [8, 8, 'C3 C6 F3 F6'],
    [7, 7, 'C3 C5 E3 E5'],
    [5, 5, 'C3'],
    [4, 4, ''],
    [2, 2, ''],
    [1, 1, ''],
    [18, 18, 'D15 D4 P15 P4'],
    [13, 7, 'D3 D5 K3 K5'],
  ];
  for (const [columns, rows, expected] of table) {
    assert.equal(show(columns, rows), expected, `${columns}x${rows}`);
  }
});

test('every point is found where it is drawn, on all sizes, also turned round', () => {
  for (const [columns, rows, width] of [[2, 2, 200], [19, 19, 200], [19, 19, 637], [13, 7, 460], [1, 1, 200], [52, 52, 800], [52, 3, 300]] as const) {
    for (const flipped of [false, true]) {
      const grid = fit(columns, rows, { width, coordinates: true, flipped });
      for (let y = 0; y < rows; y += 1) {
        for (let x = 0; x < columns; x += 1) {
          assert.deepEqual(pointAt(grid, xOf(grid, x) + 0.4 * grid.cell, yOf(grid, y) - 0.4 * grid.cell), { x, y });
        }
      }
      assert.equal(pointAt(grid, -grid.cell, 0), undefined);
    }
  }
});

test('the grid fits its room, lines lie on half pixels, and coordinates go when they cannot be read', () => {
  for (const [width, readable] of [[200, false], [300, false], [311, true], [500, true], [1234, true]] as const) {
    const grid = fit(19, 19, { width, coordinates: true, flipped: false });
    assert.equal(grid.width, width);
    assert.ok(Number.isInteger(grid.cell) && grid.left % 1 === 0.5 && grid.top % 1 === 0.5, `${width}`);
    assert.ok(xOf(grid, 18) + grid.cell / 2 <= width);
    assert.equal(grid.coordinates, readable, `${width}`);
  }
  const low = fit(9, 10, { width: 900, height: 300, coordinates: true, flipped: false });
  assert.ok(low.height <= 300 && low.width < 300);
});
