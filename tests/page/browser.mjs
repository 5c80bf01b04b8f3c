// The status page in a real browser, against a running daemon.
//   TOOLS=DEST/tools node browser.mjs ADDRESS TOKEN      DEST is the folder of tests/editors/setup.sh
// PICTURE names a file for a picture of it.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const [address, token] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.TOOLS}/`)('playwright-core');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ locale: 'en-GB' });
  page.setDefaultTimeout(30_000);
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  const rows = (table) => page.locator(`#${table} tbody tr`);

  // A wrong token is told, and typed again.
  await page.goto(`http://${address}/`);
  await page.getByLabel('Token').fill('wrong');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByText('is the token right?').waitFor();
  assert.match(faults.splice(0).join(), /Authentication failed|401/);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Connect' }).click();

  // Two sessions: the one on the pipes, and this page.
  await page.getByText('(this page)').waitFor();
  assert.equal(await rows('sessions').count(), 2);

  // An engine thinks, and the page shows it live.
  await page.selectOption('#engine', 'fake');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('#live').getByText('%').waitFor();
  await rows('analyses').filter({ hasText: 'fake' }).filter({ hasText: '%' }).waitFor();
  assert.equal(await rows('engines').filter({ hasText: 'analysing' }).count(), 1);
  if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE, fullPage: true });
  await page.getByRole('button', { name: 'Stop' }).click();
  await rows('analyses').filter({ hasText: 'none' }).waitFor();
  await rows('engines').filter({ hasText: 'none' }).waitFor();

  // The token in the address works as well, and does not stay there.
  await page.goto('about:blank');
  await page.goto(`http://${address}/#token=${token}`);
  await page.getByText('(this page)').waitFor();
  assert.equal(page.url(), `http://${address}/`);

  // In Chinese where that is the browser's language.
  const other = await browser.newPage({ locale: 'zh-CN' });
  await other.goto(`http://${address}/#token=${token}`);
  await other.getByText('（本页）').or(other.getByText('(本页)')).waitFor();
  await other.getByRole('heading', { name: '正在分析' }).waitFor();
  await other.close();
  assert.deepEqual(faults, []);

  // A page of another origin gets nowhere, also with the token.
  await page.goto('about:blank');
  const outcome = await page.evaluate(([address, token]) => new Promise((resolve) => {
    const socket = new WebSocket(`ws://${address}/`, ['kifud', `token.${token}`]);
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  }), [address, token]);
  assert.equal(outcome, 'refused');
  console.log('the page works');
} finally {
  await browser.close();
}
