// The VS Code client in the real editor, in a real browser. Run by run-vscode.sh:
//   node vscode.mjs PORT WORKSPACE SETTINGS trusted|restricted
// Every board expected here is worked out on paper from capture.sgf.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [port, workspace, settings, mode] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.TOOLS}/`)('playwright-core');
const PATIENCE = 60_000;
let passed = 0;

function ok(what) {
  passed += 1;
  console.log(`ok ${what}`);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(PATIENCE);

const editor = (uri) => page.locator(`.monaco-editor[data-uri^="${uri}"]`);

/** The visible lines of an editor, top to bottom. The editor places lines by style, in any order. */
async function linesOf(uri) {
  const lines = await editor(uri).locator('.view-lines > .view-line').evaluateAll((found) =>
    found.map((line) => ({ top: parseFloat(line.style.top), text: line.textContent })),
  );
  const text = (line) => line.text.replaceAll('\u00a0', ' ').replaceAll('\u200c', '').trimEnd();
  return lines.sort((a, b) => a.top - b.top).map(text);
}

/** Waits until the board shows these lines, one below the other. */
async function shows(what, expected) {
  const end = Date.now() + PATIENCE;
  const wanted = expected.join('\n');
  let found = '';
  while (Date.now() < end) {
    found = (await linesOf('kifud-board:')).join('\n');
    if (found.includes(wanted)) {
      return ok(what);
    }
    await page.waitForTimeout(100);
  }
  throw new Error(`${what}\nexpected:\n${wanted}\nfound:\n${found}`);
}

/** Runs something of the command palette, or goes to `:line:column`. */
async function palette(text) {
  await page.keyboard.press('F1');
  const input = page.locator('.quick-input-widget input[type="text"]').first();
  await input.fill(text);
  if (text.startsWith('>')) {
    await page.locator('.quick-input-list .monaco-list-row', { hasText: text.slice(1) }).first().waitFor();
  }
  await page.keyboard.press('Enter');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** Puts the cursor where a text of a file begins. */
async function putCursor(text, file = 'capture.sgf') {
  const lines = fs.readFileSync(`${workspace}/${file}`, 'utf8').split('\n');
  const line = lines.findIndex((candidate) => candidate.includes(text));
  await palette(`:${line + 1}:${lines[line].indexOf(text) + 1}`);
}

function programs() {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').filter((line) => line.includes(process.env.KIFUD));
}

/** Opens a file of the workspace and waits for a word of it. */
async function open(file, word) {
  await page.locator('.explorer-folders-view .monaco-list-row', { hasText: file }).dblclick();
  await editor('vscode-remote').locator('.view-line', { hasText: word }).waitFor();
}

async function openRecord() {
  await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`);
  await open('capture.sgf', '提子');
  await page.locator('.statusbar-item', { hasText: 'SGF' }).first().waitFor();
  ok('the record opens as SGF');
}

async function boards() {
  await putCursor(';B[aa]');
  await palette('>kifud: Show Board');
  await shows('the board behind a comment with Chinese and emoji', [
    '   A B C D E',
    ' 5(●)○ · · · 5',
    ' 4 · ● · · · 4',
    ' 3 · · · · · 3',
    ' 2 · · · · · 2',
    ' 1 · · · · · 1',
    '   A B C D E',
    '',
    'Move 3, ○ to play, last ● A5',
    'Captures ● 0, ○ 0',
  ]);
}

/** Findings, hover and a fix by VS Code's own means, in faults.sgf. */
async function findings() {
  await open('faults.sgf', '坏点');
  await palette('>Problems: Focus on Problems View');
  const komi = 'KM: "6,5" has a decimal comma; SGF writes a point: "6.5"kifudbad-number[Ln 1, Col 29]';
  const ascii = 'B: "zz" lies off the 5x5 boardkifudoff-board[Ln 3, Col 3]';
  // Columns in UTF-16 from 1: an emoji counts two.
  const behindEmoji = 'B: "yy" lies off the 5x5 boardkifudoff-board[Ln 4, Col 16]';
  await problems('the findings are shown, one of them behind emoji', [komi, ascii, behindEmoji]);

  await putCursor('ba]', 'faults.sgf');
  await palette('>Show or Focus Hover');
  const hover = page.locator('.monaco-hover:visible', { hasText: 'Move 2: White B5' }).first();
  await hover.waitFor();
  const shown = (await hover.innerText()).replaceAll('\u00a0', ' ');
  if (!shown.includes(' 5 .(O). . . 5') || !shown.includes(' 4 . X . . . 4')) {
    throw new Error(`no board in the hover:\n${shown}`);
  }
  ok('the hover has the board');
  await page.keyboard.press('Escape');

  await putCursor('6,5', 'faults.sgf');
  await palette('>Quick Fix');
  // The preferred fix is the first.
  await page.locator('.action-widget .monaco-list-row.focused', { hasText: 'write a decimal point' }).waitFor();
  await page.keyboard.press('Enter');
  await problems('a fix is made, and its finding goes', [ascii, behindEmoji]);
  if (!(await linesOf('vscode-remote'))[0].endsWith('SZ[5]KM[6.5]GN[坏点]')) {
    throw new Error(`not the komi: ${(await linesOf('vscode-remote'))[0]}`);
  }
  ok('it is the komi');

  for (const [what, bad, good, left] of [
    ['an edit takes the one behind emoji away', 'yy]', 'cc', [ascii]],
    ['and another the last', 'zz]', 'aa', []],
  ]) {
    await putCursor(bad, 'faults.sgf');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Delete');
    await page.keyboard.type(good);
    await problems(what, left);
  }
  await page.keyboard.press('Control+S');
  await open('capture.sgf', '提子');
}

/** Waits until the panel of problems has these, in order of their places. */
async function problems(what, expected) {
  const end = Date.now() + PATIENCE;
  const row = page.locator('.markers-panel .monaco-list-row', { has: page.locator('.marker-source, .details-container') });
  let found = [];
  while (Date.now() < end) {
    found = (await row.allTextContents()).map((text) => text.replaceAll('\u00a0', ' ').trim());
    if (JSON.stringify(found) === JSON.stringify(expected)) {
      return ok(what);
    }
    await page.waitForTimeout(100);
  }
  throw new Error(`${what}\nexpected:\n${expected.join('\n')}\nfound:\n${found.join('\n')}`);
}

async function trusted() {
  await openRecord();
  await findings();
  await boards();
  if (!programs().some((line) => line.includes('workspace.toml'))) {
    throw new Error(`no daemon with the workspace's settings among\n${programs().join('\n')}`);
  }
  ok('a trusted workspace may name a settings file');
  await putCursor('B[ca]');
  await shows('it follows the cursor: B5 is taken', [
    ' 5 ● ·(●)· · 5',
    ' 4 · ● · · · 4',
    ' 3 · · · · · 3',
    ' 2 · · · · · 2',
    ' 1 · · · ○ · 1',
    '   A B C D E',
    '',
    'Move 5, ○ to play, last ● C5',
    'Captures ● 1, ○ 0',
    '',
    '打吃已成，提去一子😀😀。',
  ]);

  // The edit stands behind emoji: a wrong column would cut the comment in two.
  await putCursor('dd])');
  await page.keyboard.press('Delete');
  await page.keyboard.press('Delete');
  await page.keyboard.type('cb');
  await shows('an edit that is not saved', [' 5 ● · ● · · 5', ' 4 · ●(○)· · 4']);

  await editor('kifud-board:').click();
  await page.keyboard.type('x');
  await shows('the board cannot be written in', [' 5 ● · ● · · 5', ' 4 · ●(○)· · 4']);

  const right = JSON.parse(fs.readFileSync(settings, 'utf8'));
  fs.writeFileSync(settings, JSON.stringify({ ...right, 'kifud.path': '/nowhere/kifud' }));
  await page.reload();
  await page.locator('.notification-toast', { hasText: '/nowhere/kifud' }).first().waitFor();
  ok('a missing program is told by its name');
}

async function restricted() {
  await openRecord();
  await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
  await boards();
  const running = programs();
  if (!running.some((line) => line.includes('serve'))) {
    throw new Error(`no daemon among\n${running.join('\n')}`);
  }
  ok('the daemon runs in Restricted Mode');
  if (running.some((line) => line.includes('replay') || line.includes('workspace.toml'))) {
    throw new Error(`an engine, or the workspace's settings:\n${running.join('\n')}`);
  }
  ok('no engine does, and the settings of the workspace are ignored');
}

try {
  await (mode === 'restricted' ? restricted() : trusted());
  console.log(`${passed} passed, 0 failed`);
} catch (error) {
  console.log(`NOT OK ${error.message}`);
  if (process.env.PICTURES) {
    await page.screenshot({ path: `${process.env.PICTURES}/${mode}.png` });
  }
  console.log(`${passed} passed, 1 failed`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
