import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from '../../../protocol/types';
import { type Edge, TreeLayout } from '../src/tree';
// @ts-expect-error plain JavaScript of the demo page
import { manyNodes } from '../demo/invented.js';

/** A tree as nested lists in the text's order: `a(b(c))(d)` has a root a with the children b and d. */
function nodesOf(text: string): TreeNode[] {
  const nodes: TreeNode[] = [];
  const open: number[] = [];
  let at: number | null = null;
  for (const sign of text) {
    if (sign === '(') {
      open.push(at!);
    } else if (sign === ')') {
      at = open.pop()!;
    } else {
      const index = nodes.length;
      const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
      nodes.push({ index, parent: at, children: [], range, props: index === 0 ? {} : { B: [sign] } });
      at !== null && nodes[at]!.children.push(index);
      at = index;
    }
  }
  return nodes;
}

function draw(layout: TreeLayout): string {
  const rows: string[][] = [];
  const { nodes } = layout.visible({ fromDepth: 0, toDepth: 1e9, fromLane: 0, toLane: 1e9 });
  for (const { depth, lane, move } of nodes) {
    const row = (rows[lane] ??= []);
    while (row.length < depth) {
      row.push('.');
    }
    row[depth] = move ?? '*';
  }
  return rows.map((row) => row.join('')).join(' ');
}

function laidOut(text: string, page = Infinity): TreeLayout {
  const layout = new TreeLayout();
  const nodes = nodesOf(text);
  for (let from = 0; from < nodes.length; from += page) {
    layout.append(nodes.slice(from, from + page));
  }
  return layout;
}

const TABLE: [string, string][] = [
  ['r', '*'],
  ['rabc', '*abc'],
  ['ra(bc)(de)', '*abc ..de'],
  // Short branches share a lane when they do not meet.
  ['ra(b(cd)(e))(f)', '*abcd ..fe'],
  ['ra(b(c(d)(x))(y))(z)', '*abcd ..zyx'],
  // A long one goes below what is in its way, and so does its way there.
  ['ra(b(c(d)(x))(y))(uvw)', '*abcd ...yx ..uvw'],
  ['r(a(b)(c))(d)(e)', '*ab .dc .e'],
];

test('lanes', () => {
  for (const [text, expected] of TABLE) {
    assert.equal(draw(laidOut(text)), expected, text);
  }
});

test('pages of any size give the same tree', () => {
  for (const [text, expected] of TABLE) {
    for (const page of [1, 2, 3]) {
      assert.equal(draw(laidOut(text, page)), expected, `${text} by ${page}`);
    }
  }
});

test('ways, parents and children', () => {
  const layout = laidOut('ra(bc)(de)');
  assert.deepEqual(layout.wayTo(5), [0, 1, 4, 5]);
  assert.deepEqual(layout.childrenOf(1), [2, 4]);
  assert.equal(layout.parentOf(0), undefined);
  assert.deepEqual(layout.wayTo(99), []);
  assert.equal(layout.at(99), undefined);
  assert.equal(layout.at(5)!.moveNumber, 3);
});

test('several games stand below each other, and indexes may begin anywhere', () => {
  const first = nodesOf('rab').map((node) => ({ ...node, index: node.index + 100, parent: node.parent == null ? null : node.parent + 100, children: node.children.map((child) => child + 100) }));
  const second = nodesOf('rx').map((node) => ({ ...node, index: node.index + 103, parent: node.parent == null ? null : node.parent + 103, children: node.children.map((child) => child + 103) }));
  const layout = new TreeLayout();
  layout.append(first);
  layout.append(second);
  assert.equal(draw(layout), '*ab *x');
  assert.deepEqual(layout.wayTo(104), [103, 104]);
});

const big = manyNodes(37_000) as TreeNode[];

test('37,000 nodes: no two at one place, no way through a node', () => {
  const layout = new TreeLayout();
  for (let from = 0; from < big.length; from += 5000) {
    layout.append(big.slice(from, from + 5000));
  }
  const places = new Set<string>();
  for (const { index } of big) {
    const { depth, lane } = layout.at(index)!;
    assert.ok(!places.has(`${depth},${lane}`), `two nodes at ${depth},${lane}`);
    places.add(`${depth},${lane}`);
  }
  for (const { index, parent } of big) {
    if (parent != null) {
      const [from, to] = [layout.at(parent)!, layout.at(index)!];
      assert.ok(to.lane >= from.lane);
      for (let lane = from.lane + 1; lane < to.lane; lane += 1) {
        assert.ok(!places.has(`${from.depth},${lane}`), `the way to ${index} runs through ${from.depth},${lane}`);
      }
    }
  }
});

test('a window shows what a look at everything shows there', () => {
  const layout = new TreeLayout();
  layout.append(big);
  const everything = layout.visible({ fromDepth: 0, toDepth: 1e9, fromLane: 0, toLane: 1e9 });
  for (const [fromDepth, fromLane] of [[0, 0], [100, 0], [40, 20], [3, 200], [290, 5]] as const) {
    const window = { fromDepth, toDepth: fromDepth + 20, fromLane, toLane: fromLane + 12 };
    const { nodes, edges } = layout.visible(window);
    const inside = ({ depth, lane }: { depth: number; lane: number }) => depth >= fromDepth && depth <= window.toDepth && lane >= fromLane && lane <= window.toLane;
    assert.deepEqual(new Set(nodes.map(({ index }) => index)), new Set(everything.nodes.filter(inside).map(({ index }) => index)));
    // What runs through the window: trunks that cross its lanes, twigs that end in it.
    const name = (edge: Edge) => JSON.stringify(edge);
    const seen = new Set(edges.map(name));
    for (const edge of everything.edges) {
      const crosses = edge.trunk
        ? edge.depth >= fromDepth && edge.depth <= window.toDepth && edge.lane <= window.toLane && edge.toLane > fromLane
        : edge.depth + 1 >= fromDepth && edge.depth <= window.toDepth && edge.toLane >= fromLane && edge.toLane <= window.toLane;
      assert.ok(!crosses || seen.has(name(edge)), name(edge));
    }
  }
});

test('a line of 100,000 moves and a node with 10,000 variations', () => {
  const long = new TreeLayout();
  long.append(nodesOf(`r${'a'.repeat(100_000)}`));
  assert.equal(long.lanesUsed, 1);
  assert.equal(long.wayTo(100_000).length, 100_001);
  const wide = laidOut(`r${'(a)'.repeat(10_000)}`, 999);
  assert.equal(wide.lanesUsed, 10_000);
  assert.equal(wide.visible({ fromDepth: 0, toDepth: 10, fromLane: 5000, toLane: 5009 }).nodes.length, 10);
});
