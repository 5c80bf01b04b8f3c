// The boards in a real browser: pointer, keyboard, lines on hover, names for screen readers, files, figures.
//   TOOLS=DEST/tools node test/browser.mjs [bench]        after npm run build; DEST is the folder of tests/editors/setup.sh
// PICTURES names a folder for pictures of the demo page. With `bench` only figures are printed.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { chromium } = createRequire(`${process.env.TOOLS}/`)('playwright-core');
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

const server = http.createServer((request, response) => {
  const file = path.join(root, path.normalize(decodeURI(new URL(request.url, 'http://x').pathname)));
  fs.readFile(file, (error, content) => {
    response.writeHead(error ? 404 : 200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    response.end(content);
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
const page = await browser.newPage({ viewport: { width: 1240, height: 900 } });
page.setDefaultTimeout(30_000);
const faults = [];
page.on('pageerror', (error) => faults.push(error.message));
page.on('console', (message) => message.type() === 'error' && !message.text().includes('favicon') && faults.push(message.text()));

const open = async () => {
  await page.goto(`http://127.0.0.1:${server.address().port}/demo.html`);
  await page.locator('#heat [role=gridcell]').first().waitFor({ state: 'attached' });
};
/** Two frames: what was asked for is drawn. */
const drawn = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const cell = (board, name) => page.locator(`#${board} [role=gridcell][aria-label^="${name} "]`);
const counted = (board, name) => page.locator(`#${board} .${name}`).count();

/** A board of its own, on a page that has nothing else. Its events are kept in `events`. */
const fresh = (state, options = {}) =>
  page.evaluate(
    ([state, options]) => {
      document.querySelector('main').hidden = true;
      document.getElementById('own')?.remove();
      const host = document.body.appendChild(Object.assign(document.createElement('div'), { id: 'own' }));
      host.style.width = `${options.width ?? 400}px`;
      window.events = [];
      window.own = demo.createBoard(host, {
        theme: 'light',
        ...options,
        onPoint: (vertex) => events.push(vertex),
        onMove: (iccs) => events.push(iccs),
        onHover: (vertex, candidate) => events.push(`${vertex} ${candidate?.visits}`),
      });
      own.update(state);
      own.flush();
    },
    [state, options],
  );
const events = () => page.evaluate(() => events.splice(0));

const FIVE = ['.....', '.XO..', '..X..', '.....', '.....'];
const ANALYSIS = { state: 'running', game: 'go', color: 'W', moves: [{ vertex: 'C5', order: 0, visits: 10, winrate: 50, pv: ['B5', 'C5', 'D4'] }], heatmap: [{ vertex: 'C5', strength: 9, text: '50.0' }] };

const tests = {
  async 'the page draws without a fault, under a strict content security policy'() {
    assert.equal(await counted('heat', 'kb-heat-text > text'), 30);
    assert.equal(await counted('xiangqi', 'kb-piece'), 31);
    assert.deepEqual(faults, []);
  },

  async 'a click says which point, on any size'() {
    for (const width of [200, 400, 737]) {
      await fresh({ game: 'go', board: { stones: FIVE } }, { width });
      await cell('own', 'D2').click();
      assert.deepEqual((await events()).filter((event) => !event.includes(' ')), ['D2'], `${width}`);
    }
  },

  async 'the pointer shows the stone that would be played, and says where it is'() {
    await fresh({ game: 'go', board: { stones: FIVE, toPlay: 'W' } });
    await cell('own', 'A1').hover();
    await drawn();
    assert.equal(await counted('own', 'kb-hover.kb-white'), 1);
    await page.mouse.move(900, 800);
    await drawn();
    assert.equal(await counted('own', 'kb-hover'), 0);
    const said = await events();
    assert.deepEqual([said[0], said.at(-1)], ['A1 undefined', 'undefined undefined']);
  },

  async 'a candidate under the pointer plays its line out'() {
    await fresh({ game: 'go', board: { stones: FIVE, toPlay: 'W' }, analysis: ANALYSIS });
    assert.equal(await counted('own', 'kb-heat'), 1);
    await cell('own', 'C5').hover();
    await drawn();
    assert.deepEqual(await page.locator('#own .kb-line-number').allTextContents(), ['1', '2', '3']);
    assert.equal(await counted('own', 'kb-heat'), 0);
    assert.ok((await events()).includes('C5 10'));
  },

  async 'arrows move the focus, Enter plays, Escape and Tab are the page\'s own'() {
    await fresh({ game: 'go', board: { stones: FIVE, toPlay: 'B' } });
    await page.evaluate(() => own.focus());
    const at = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    assert.equal(await at(), 'C3 black stone');
    for (const [key, expected] of [['ArrowUp', 'C4 white stone'], ['ArrowRight', 'D4 empty'], ['End', 'E4 empty'], ['ArrowRight', 'E4 empty'], ['PageDown', 'E1 empty'], ['Home', 'A1 empty'], ['PageUp', 'A5 empty']]) {
      await page.keyboard.press(key);
      assert.equal(await at(), expected, key);
    }
    await page.keyboard.press('Enter');
    await drawn();
    assert.equal(await counted('own', 'kb-focus-inner'), 1);
    assert.ok((await events()).includes('A5'));
    assert.equal(await page.locator('#own [tabindex="0"]').count(), 1);
  },

  async 'a redraw keeps the focus and the elements'() {
    await fresh({ game: 'go', board: { stones: FIVE, toPlay: 'B' } });
    await page.evaluate(() => own.focus());
    const kept = await page.evaluate((stones) => {
      const before = [document.activeElement, document.querySelector('#own .kb-stone')];
      own.update({ game: 'go', board: { stones: [...stones.slice(0, 4), 'X....'], toPlay: 'W', lastMove: { color: 'B', vertex: 'A1' }, moveNumber: 1 } });
      own.flush();
      return [document.activeElement === before[0], document.querySelector('#own .kb-stone') === before[1], document.querySelector('#own [role=status]').textContent];
    }, FIVE);
    assert.deepEqual(kept, [true, true, 'Black A1']);
  },

  async 'roles: a grid of rows of named cells, everything else is hidden from screen readers'() {
    const found = await page.evaluate(() => {
      const svg = document.querySelector('#own svg');
      const strays = [...svg.children].filter((child) => child.getAttribute('role') !== 'rowgroup' && child.getAttribute('aria-hidden') !== 'true' && child.tagName !== 'defs');
      return [svg.getAttribute('role'), svg.getAttribute('aria-label'), svg.querySelectorAll('[role=row]').length, svg.querySelectorAll('[role=row] > [role=gridcell][aria-label]').length, strays.length];
    });
    assert.deepEqual(found, ['grid', 'Go board 5 by 5, White to play', 5, 25, 0]);
    const slider = page.locator('#graph');
    assert.equal(await slider.getAttribute('role'), 'slider');
    assert.match(await slider.getAttribute('aria-valuetext'), /^move 17, Black/);
  },

  async 'xiangqi: pick up, see the targets, put down; by keys too'() {
    await open();
    const board = page.locator('#xiangqi');
    await cell('xiangqi', 'g7').click();
    await drawn();
    assert.ok((await counted('xiangqi', 'kb-target')) > 0);
    assert.equal(await counted('xiangqi', 'kb-target-take'), 1);
    await cell('xiangqi', 'e6').click();
    await drawn();
    assert.equal(await board.locator('.kb-piece').count(), 30);
    assert.match(await cell('xiangqi', 'e6').getAttribute('aria-label'), /^e6 black horse, last move/);
    const state = { game: 'xiangqi', position: { board: Array(90).fill('').with(85, 'K').with(4, 'k').with(81, 'R'), turn: 'r' }, moves: [{ iccs: 'a0a1', captured: '' }, { iccs: 'e0e1', captured: '' }] };
    await fresh(state);
    await page.evaluate(() => own.focus());
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press(' ');
    assert.ok((await events()).includes('e0e1'));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await drawn();
    assert.equal(await counted('own', 'kb-selected-piece'), 1);
    await page.keyboard.press('Escape');
    await drawn();
    assert.equal(await counted('own', 'kb-selected-piece'), 0);
  },

  async 'graph and tree lead through the game'() {
    await open();
    const box = await page.locator('#graph').boundingBox();
    await page.mouse.click(box.x + box.width - 10, box.y + 20);
    await drawn();
    const last = await page.locator('#graph').getAttribute('aria-valuemax');
    assert.equal(await page.locator('#graph').getAttribute('aria-valuenow'), last);
    await page.locator('#tree').focus();
    await page.keyboard.press('ArrowUp');
    await drawn();
    assert.equal(await page.locator('#graph').getAttribute('aria-valuenow'), String(last - 1));
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await drawn();
    assert.equal(await page.locator('#tree [aria-selected=true]').getAttribute('data-node'), '1');
    await page.locator('#tree [data-node="3"]').click();
    await drawn();
    assert.equal(await page.locator('#graph').getAttribute('aria-valuenow'), '3');
  },

  async 'a comment belongs to the node that it was written at'() {
    const area = page.locator('#comments textarea');
    await area.fill('好棋');
    await page.locator('#tree [data-node="4"]').click();
    await drawn();
    assert.equal(await area.inputValue(), '');
    await page.locator('#tree [data-node="3"]').click();
    await drawn();
    assert.equal(await area.inputValue(), '好棋');
  },

  async 'of 37,000 nodes only those in sight are elements, wherever one scrolls'() {
    const tree = page.locator('#big-tree');
    const inSight = () => tree.locator('[data-node]').count();
    const before = await inSight();
    assert.ok(before > 20 && before < 1200, `${before}`);
    await page.evaluate(() => demo.panels.at(-1).select(30_000));
    await drawn();
    assert.equal(await tree.locator('[data-node="30000"][aria-selected=true]').count(), 1);
    const after = await inSight();
    assert.ok(after > 0 && after < 1200, `${after}`);
  },

  async 'files: the SVG draws by itself, the PNG is a picture of it'() {
    const [svg, type, size, signature] = await page.evaluate(async () => {
      const blob = await demo.boards[1].toPng(400, 2);
      const bytes = new Uint8Array(await blob.arrayBuffer());
      const image = await createImageBitmap(blob);
      return [demo.boards[1].toSvg(400), blob.type, [image.width, image.height], [...bytes.slice(1, 4)].map((code) => String.fromCharCode(code)).join('')];
    });
    assert.deepEqual([type, size, signature], ['image/png', [800, 800], 'PNG']);
    const parsed = await page.evaluate((text) => {
      // Without its style: this page's policy allows none in the documents that it parses.
      const read = new DOMParser().parseFromString(text.replace(/<style>.*<\/style>/s, ''), 'image/svg+xml');
      return [read.querySelector('parsererror')?.textContent ?? '', read.documentElement.getAttribute('width'), read.querySelectorAll('.kb-heat-text > text').length];
    }, svg);
    assert.deepEqual(parsed, ['', '400', 30]);
  },

  async 'themes and languages change everything at once'() {
    await page.selectOption('[name=theme]', 'contrast');
    await page.selectOption('[name=language]', 'zh');
    await drawn();
    const fill = await page.locator('#game .kb-black').first().evaluate((stone) => getComputedStyle(stone).stroke);
    assert.equal(fill, 'rgb(0, 0, 0)');
    assert.match(await page.locator('#heat svg').getAttribute('aria-label'), /^19×19 围棋盘/);
  },

  async 'a page may have colours of its own'() {
    const mark = await page.evaluate(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.kifud { --kifud-mark: #010203 }');
      document.adoptedStyleSheets = [sheet, ...document.adoptedStyleSheets];
      return getComputedStyle(document.getElementById('game')).getPropertyValue('--kifud-mark');
    });
    assert.equal(mark, '#010203');
  },

  async 'nothing has gone wrong on the way'() {
    assert.deepEqual(faults, []);
  },

  async 'a board that is gone leaves nothing behind'() {
    await fresh({ game: 'go', board: { stones: FIVE } });
    const left = await page.evaluate(() => (own.destroy(), document.getElementById('own').outerHTML));
    assert.equal(left, '<div id="own" class="" style="width: 400px;"></div>');
  },
};

/** Milliseconds, sorted. */
function figures(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)].toFixed(1);
  return `best ${at(0)} ms, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, worst ${at(1)} ms (${sorted.length} times)`;
}

/** Runs something so many times in the page and tells the processor time of the page's main thread for one time. */
async function processorTime(count, run) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value * 1000]));
  const before = await read();
  await run(count);
  const after = await read();
  await session.detach();
  const each = (name) => ((after[name] - before[name]) / count).toFixed(1);
  return `${each('TaskDuration')} ms, of it script ${each('ScriptDuration')}, style ${each('RecalcStyleDuration')}, layout ${each('LayoutDuration')}`;
}

async function bench() {
  await open();
  const prepare = (width, numbered) =>
    page.evaluate(([width, numbered]) => {
      document.querySelector('main').hidden = true;
      document.getElementById('own')?.remove();
      const host = document.body.appendChild(Object.assign(document.createElement('div'), { id: 'own' }));
      host.style.width = `${width}px`;
      window.own = demo.createBoard(host, { theme: 'light' });
      // An empty board: 361 candidates, each with a number and visits; ownership; every one differs from the last.
      const empty = { stones: Array(19).fill('.'.repeat(19)), toPlay: 'B' };
      window.states = [1, 2, 3, 4].map((seed) => ({ game: 'go', board: empty, analysis: demo.fullHeat(empty, seed) }));
      // Engines have few visits for most points, and kifud writes numbers from ten visits on.
      states.forEach(({ analysis }) => analysis.heatmap.forEach((cell, order) => order >= numbered && (cell.text = '')));
      own.update(states[3]);
      own.flush();
      return host.querySelectorAll('*').length;
    }, [width, numbered]);
  /** Each time a frame is waited for, as when an engine reports. */
  const redraw = (count) =>
    page.evaluate(async (count) => {
      const times = [];
      for (let round = 0; round < count; round += 1) {
        await new Promise(requestAnimationFrame);
        const start = performance.now();
        own.update(states[round % 4]);
        own.flush();
        document.querySelector('#own svg').lastElementChild.getBBox();
        times.push(performance.now() - start);
      }
      return times;
    }, count);
  for (const [width, numbered] of [[500, 361], [800, 361], [500, 60]]) {
    console.log(`19x19, 361 candidates, ${numbered} of them with numbers, all new; ${width} px, ${await prepare(width, numbered)} elements`);
    await redraw(20);
    let times;
    console.log(`  processor time a redraw with its frame: ${await processorTime(100, async (count) => (times = await redraw(count)))}`);
    console.log(`  on the clock, drawn and laid out: ${figures(times)}`);
  }
  console.log(`the machine's load: ${os.loadavg()[0].toFixed(1)} on ${os.cpus().length} processors`);
  const tree = await page.evaluate(async () => {
    document.getElementById('own').remove();
    const host = document.body.appendChild(Object.assign(document.createElement('div'), { id: 'own' }));
    host.style.cssText = 'width: 340px; height: 400px';
    const nodes = demo.manyNodes(37_000);
    window.tree = demo.createTree(host, { theme: 'light' });
    const start = performance.now();
    for (let from = 0; from < nodes.length; from += 5000) {
      tree.append(nodes.slice(from, from + 5000));
    }
    tree.select(nodes.length - 1);
    tree.flush();
    return performance.now() - start;
  });
  const jump = (count) =>
    page.evaluate(async (count) => {
      const host = document.getElementById('own');
      for (let round = 0; round < count; round += 1) {
        await new Promise(requestAnimationFrame);
        host.scrollTo((round * 331) % Math.max(host.scrollWidth / 8, 1), (round * 97) % Math.max(host.scrollHeight, 1));
        tree.flush();
      }
    }, count);
  console.log(`tree of 37,000 nodes: laid out and drawn in ${tree.toFixed(0)} ms on the clock`);
  console.log(`  processor time a jump to somewhere else: ${await processorTime(200, jump)}`);
}

async function pictures(folder) {
  await open();
  for (const theme of ['light', 'dark', 'contrast']) {
    await page.selectOption('[name=theme]', theme);
    await drawn();
    await page.screenshot({ path: path.join(folder, `${theme}.png`), fullPage: true });
  }
}

let [passed, failed] = [0, 0];
try {
  if (process.argv[2] === 'bench') {
    await bench();
  } else {
    await open();
    for (const [name, run] of Object.entries(tests)) {
      try {
        await run();
        passed += 1;
        console.log(`ok ${name}`);
      } catch (error) {
        failed += 1;
        console.log(`NOT OK ${name}\n${error.message}`);
      }
    }
    if (process.env.PICTURES) {
      await pictures(process.env.PICTURES);
    }
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed ? 1 : 0;
  }
} finally {
  await browser.close();
  server.close();
}
