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
