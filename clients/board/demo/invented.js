// Analyses that no engine has made, the same at every start: for pictures and for measuring.

/** Numbers between 0 and 1. */
export function random(seed) {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

const LETTERS = 'ABCDEFGHJKLMNOPQRSTUVWXYZ';

export function allPoints(stones) {
  return stones.flatMap((row, y) => [...row].flatMap((sign, x) => (sign === '.' ? [`${LETTERS[x]}${stones.length - y}`] : [])));
}

/** An event of analysis/update with so many candidates: all empty points when none is said. */
export function fullHeat(board, seed, count = Infinity) {
  const next = random(seed * 7919);
  const empty = allPoints(board.stones);
  const shuffled = empty.map((vertex) => [next(), vertex]).sort(([a], [b]) => a - b).map(([, vertex]) => vertex);
  const chosen = shuffled.slice(0, count);
  const moves = chosen.map((vertex, order) => {
    const share = 0.8 ** order + next() * 0.02;
    const pv = [vertex, ...shuffled.filter((one) => one !== vertex).slice(order, order + 7)];
    return { vertex, order, visits: Math.round(9000 * share) + 1, winrate: 53.4 - order * 0.6 - next(), scoreLead: 1.8 - order * 0.35 - next() * 0.4, prior: 42 * share, pv };
  });
  const heatmap = moves.map(({ vertex, visits, winrate, order }) => ({ vertex, strength: Math.max(1, Math.min(9, Math.round((visits / 9000) * 8) + 1)), text: visits >= 10 || count === Infinity ? Math.max(winrate, 0.1 + (order % 10)).toFixed(1) : '' }));
  const ownership = board.stones.flatMap((row, y) => [...row].map((sign, x) => {
    const side = sign === 'X' ? 1 : sign === 'O' ? -1 : Math.sin((x + seed) / 3) * Math.cos(y / 3);
    return Math.max(-1, Math.min(1, side * 0.9 + (next() - 0.5) * 0.2));
  }));
  return { state: 'running', game: 'go', color: board.toPlay ?? 'B', visits: 9000, moves, heatmap, ownership };
}

/** Nodes as record/tree gives them: a line of 300 moves, and ever more lines that branch off. */
export function manyNodes(count) {
  const next = random(11);
  const nodes = [];
  const lines = [{ parent: null, left: Math.min(300, count), depth: 0 }];
  while (lines.length > 0) {
    let { parent, left, depth } = lines.pop();
    for (; left > 0 && nodes.length < count; left -= 1, depth += 1) {
      const index = nodes.length;
      const stone = depth % 2 ? { B: ['dd'] } : { W: ['pp'] };
      nodes.push({ index, parent, children: [], range: {}, props: depth === 0 ? {} : { ...stone, ...(next() < 0.04 && { C: ['x'] }) } });
      parent !== null && nodes[parent].children.push(index);
      // The deepest branch comes next in the order of the text, so it lies on top of the pile.
      if (depth > 1 && next() < (lines.length === 0 ? 0.4 : 0.09)) {
        lines.push({ parent, left: 1 + Math.floor(next() ** 5 * 60), depth });
      }
      parent = index;
    }
    if (lines.length === 0 && nodes.length < count) {
      lines.push({ parent: 1, left: 250, depth: 2 });
    }
  }
  return nodes;
}
