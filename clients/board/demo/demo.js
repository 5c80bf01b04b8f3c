// The demo page. Answers of kifud are in data.js; what no recording has is made up here, the same at every start.
import { createBoard, createComments, createGraph, createPlayers, createTree, playOut, squareName, parseMove } from '../dist/board.js';
import { data } from './data.js';
import { allPoints, fullHeat, manyNodes, random } from './invented.js';

const element = (id) => document.getElementById(id);
const boards = [];
const panels = [];

function board(id, state, options = {}) {
  const made = createBoard(element(id), { theme: 'light', ...options });
  made.update(state);
  boards.push(made);
  return made;
}

// A reviewed game: board, graph, tree, comment, players.
const { tree: record, rows } = data.review;
const nodes = record.games[0].nodes;
const letters = 'abcdefghjklmnopqrst';
const vertexOf = (value) => (value ? `${letters[value.charCodeAt(0) - 97].toUpperCase()}${9 - (value.charCodeAt(1) - 97)}` : 'pass');
const comments = new Map(nodes.map((node) => [node.index, node.props.C?.[0] ?? '']));

/** The board at a node of the one line there is. */
function positionAt(index) {
  const moves = nodes.slice(1, index + 1).map(({ props }) => vertexOf((props.B ?? props.W)[0]));
  const empty = Array.from({ length: 9 }, () => '.........');
  const { stones } = playOut(empty, 'B', moves);
  const color = (count) => (count % 2 ? 'B' : 'W');
  const last = index > 0 ? { color: color(index), vertex: moves.at(-1) } : null;
  const next = nodes[index + 1]?.props;
  return {
    board: { stones, toPlay: color(index + 1), moveNumber: index, lastMove: last },
    variations: next ? [{ vertex: vertexOf((next.B ?? next.W)[0]), color: color(index + 1) }] : [],
  };
}

const game = board('game', { game: 'go', ...positionAt(0) });
const points = rows.map((row) => ({ moveNumber: row.moveNumber, winrate: row.black?.winrate, score: row.black?.scoreLead, loss: row.loss }));
const graph = createGraph(element('graph'), { theme: 'light', height: 130, onSelect: show });
const tree = createTree(element('tree'), { theme: 'light', onSelect: show });
const comment = createComments(element('comments'), { theme: 'light', onChange: (text, node) => comments.set(node, text) });
const players = createPlayers(element('players'), { theme: 'light' });
panels.push(graph, tree, comment, players);
const thresholds = { doubtful: 0.5, bad: 1.5 };
tree.append(nodes);
tree.setMarks(new Map(rows.filter((row) => row.loss >= thresholds.doubtful).map((row) => [row.moveNumber, row.loss >= thresholds.bad ? 'bad' : 'doubtful'])));

function show(index) {
  const state = positionAt(index);
  game.update({ game: 'go', ...state });
  graph.update({ points, current: index, thresholds });
  tree.select(index);
  comment.update({ node: index, text: comments.get(index), editable: true });
  const clocks = { B: { mainMs: 0, overtimeMs: 24_300, count: 3 }, W: { mainMs: 312_000, overtimeMs: 30_000, count: 5 } };
  players.update({ info: record.games[0].info, captures: { B: 2, W: 1 }, toPlay: state.board.toPlay, clocks, running: true });
}
show(17);

// Candidates on a large board.
const { board: large } = data.large;
const heatState = { game: 'go', board: large, analysis: fullHeat(large, 1, 30) };
board('heat', heatState);
board('tiny', heatState);
const [first] = heatState.analysis.moves;
board('line', { ...heatState, line: { color: large.toPlay, moves: first.pv } });
board('ownership', { game: 'go', board: { ...large, lastMove: { color: 'W', vertex: 'D8' } }, analysis: fullHeat(large, 3, 0) }, { view: { heat: 'none' } });

// Everything that a record can put on a board.
const marks = { triangles: ['D4', 'G4'], squares: ['E4', 'G5'], circles: ['D5', 'G6'], crosses: ['E5', 'D7'], selected: ['E6', 'D6'], labels: [{ vertex: 'D8', text: 'A' }, { vertex: 'E8', text: '12' }, { vertex: 'F8', text: '黑' }, { vertex: 'D3', text: 'a' }, { vertex: 'F3', text: 'longer' }], arrows: [['B8', 'B5']], lines: [['H8', 'H5']], blackTerritory: ['A1', 'B1', 'A2'], whiteTerritory: ['J1', 'H1', 'J2'], dimmed: ['A9', 'A8', 'J9'], visible: [] };
board('markup', {
  game: 'go',
  board: { stones: ['X.......O', '...X.O...', '...X.....', '...XXOO.X', '...XX.O.X', '...XX.O..', '...X.O...', 'X.......O', '.X.....O.'], toPlay: 'B', lastMove: { color: 'W', vertex: 'F8' }, ko: 'F5', markup: marks },
  numbers: { J6: 7, J5: 8, A2: 115, B1: 9 },
  variations: [{ vertex: 'C9', color: 'B', text: 'A' }, { vertex: 'E9', color: 'W', kind: 'sibling' }, { vertex: 'F9' }],
  ghosts: [{ vertex: 'B4', color: 'B', kind: 'good' }, { vertex: 'B3', color: 'W', kind: 'bad', text: '?' }, { vertex: 'H3', color: 'B', kind: 'doubtful' }, { vertex: 'H2', color: 'W' }],
});
board('rectangle', { game: 'go', board: { stones: ['.............', '..X.......O..', '...X.....O...', '......X......', '..O......X...', '...O.......X.', '.............'], toPlay: 'B', lastMove: { color: 'W', vertex: 'D2' } } });

// A large game tree: lines that branch off lines.
const bigTree = createTree(element('big-tree'), { theme: 'light', orientation: 'horizontal', onSelect: (index) => bigTree.select(index) });
bigTree.append(manyNodes(37_000));
bigTree.select(120);
panels.push(bigTree);

// Xiangqi.
const { position, moves, lastMove, analysis } = data.xiangqi;
const xiangqi = board('xiangqi', { game: 'xiangqi', position, moves, lastMove, analysis }, {
  onMove(iccs) {
    const ends = parseMove(iccs);
    const points = [...position.board];
    [points[ends.from.y * 9 + ends.from.x], points[ends.to.y * 9 + ends.to.x]] = ['', points[ends.from.y * 9 + ends.from.x]];
    xiangqi.update({ game: 'xiangqi', position: { ...position, board: points, turn: 'r' }, lastMove: squareName(ends.from) + squareName(ends.to), moves: [] });
  },
});
const checked = 'rnbakabnr/9/1c5c1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR'.split('/').flatMap((row) => [...row].flatMap((sign) => (/\d/.test(sign) ? Array(Number(sign)).fill('') : [sign])));
board('check', { game: 'xiangqi', position: { board: checked, turn: 'b', inCheck: true }, lastMove: 'e2e6', arrows: [{ move: 'd9e8', kind: 'best', text: '1' }, { move: 'c9e7', kind: 'good', text: '2' }, { move: 'e9e8', kind: 'bad', text: '3' }] }, { view: { flipped: true } });

const form = element('controls');
form.addEventListener('change', ({ target }) => {
  const value = target.type === 'checkbox' ? target.checked : target.value;
  if (target.name === 'theme') {
    document.body.dataset.theme = value;
  }
  for (const one of [...boards, ...panels]) {
    target.name === 'theme' ? one.setTheme(value) : one.setView?.({ [target.name]: value });
  }
});

function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
form.elements.svg.addEventListener('click', () => save(new Blob([boards[1].toSvg(800)], { type: 'image/svg+xml' }), 'board.svg'));
form.elements.png.addEventListener('click', async () => save(await boards[1].toPng(800, 2), 'board.png'));

// For the tests of this page.
Object.assign(window, { demo: { boards, panels, heatState, fullHeat, allPoints, random, manyNodes, createTree, createBoard } });
