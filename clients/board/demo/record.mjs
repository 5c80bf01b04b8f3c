// Writes demo/data.js: what kifud answers about a few records of this repository, so that the demo page needs no daemon.
//   node demo/record.mjs KIFUD
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const fixtures = path.join(here, '../../../fixtures');
const kifud = path.resolve(process.argv[2] ?? 'kifud');
const text = (name) => fs.readFileSync(path.join(fixtures, 'games', name), 'utf8');

/** Calls in one process, with one recorded engine attached as engine-1; answers and events in order. */
function calls(transcripts, list) {
  const engine = { name: 'recorded', path: kifud, args: ['replay', '--transcript', path.join(fixtures, 'transcripts', transcripts)] };
  const lines = [{ method: 'engine/attach', params: { engine } }, ...list];
  const settings = { method: 'kifud/configure', params: { set: { analyzeCommands: ['kata-analyze'] } } };
  const input = [{ id: 'settings', ...settings }, ...lines.map((line, id) => ({ id, ...line }))]
    .map((line) => JSON.stringify({ jsonrpc: '2.0', ...line })).join('\n');
  const { stdout, stderr } = spawnSync(kifud, ['rpc', '-'], { input, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 60_000 });
  const answers = stdout.trim().split('\n').map((line) => JSON.parse(line));
  const failed = answers.find((answer) => answer.error);
  if (failed || stderr) {
    console.error(JSON.stringify(failed), stderr);
  }
  return answers;
}

function result(answers, id) {
  return answers.find((answer) => answer.id === id)?.result;
}

function events(answers, method) {
  return answers.filter((answer) => answer.method === method).map((answer) => answer.params.result);
}

function analysed(name, plies, transcripts) {
  const document = { text: text(name) };
  const node = { path: plies ? [`0*${plies}`] : [] };
  const answers = calls(transcripts, [
    { method: 'record/board', params: { document, node } },
    { method: 'engine/analyze', params: { position: { document, node }, ownership: true, heatmap: true, limit: { seconds: 2 } } },
  ]);
  const analysis = events(answers, 'analysis/update').filter((event) => event.moves).at(-1);
  return { board: result(answers, 1), analysis };
}

function reviewed(name, transcripts) {
  const document = { text: text(name) };
  const answers = calls(transcripts, [
    { method: 'record/tree', params: { document } },
    { method: 'analysis/game', params: { document, limit: { visits: 50 } } },
  ]);
  return { tree: result(answers, 1), rows: events(answers, 'analysis/row').filter((row) => row.moveNumber != null) };
}

function xiangqi(moves) {
  let fen = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1';
  for (const move of moves) {
    fen = result(calls('katago', [{ method: 'xiangqi/move', params: { fen, move } }]), 1).fen;
  }
  const answers = calls('katago', [
    { method: 'xiangqi/position', params: { fen } },
    { method: 'xiangqi/moves', params: { fen } },
    { method: 'xiangqi/search', params: { fen, depth: 6 } },
  ]);
  return {
    position: result(answers, 1),
    moves: result(answers, 2).moves.map(({ iccs, captured }) => ({ iccs, captured })),
    lastMove: moves.at(-1),
    analysis: { state: 'running', ...result(answers, 3) },
  };
}

const data = {
  large: analysed('handicap-19x19.sgf', 45, 'katago'),
  small: analysed('short-9x9.sgf', 29, 'katago'),
  review: reviewed('short-9x9.sgf', 'katago-real'),
  xiangqi: xiangqi(['h2e2', 'h9g7', 'h0g2', 'b9c7', 'e2e6']),
};
fs.writeFileSync(path.join(here, 'data.js'), `// Written by demo/record.mjs. Do not edit.\nexport const data = ${JSON.stringify(data)};\n`);
for (const [name, value] of Object.entries(data)) {
  console.log(name, JSON.stringify(value).slice(0, 300));
}
