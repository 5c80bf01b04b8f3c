// The status page: a client of the protocol like any other, over one WebSocket. Token in the address:
// http://127.0.0.1:PORT/#token=TOKEN; what follows # is not sent anywhere.

const WORDS = {
  token: '令牌', connect: '连接', where: '令牌在 --token-file 指定的文件中。本页只保留到标签页关闭。',
  sessions: '会话', session: '会话', since: '时长', documents: '文档', requests: '请求', streams: '数据流',
  engines: '引擎', engine: '引擎', state: '状态', analyses: '正在分析', visits: '计算量', black: '黑方胜率',
  try: '分析空棋盘，引擎：', start: '开始', stop: '停止', none: '无', own: '本页', closed: '连接已断开',
  refused: '无法连接：请检查令牌',
  starting: '启动中', ready: '就绪', thinking: '思考中', analysing: '分析中', restarting: '重启中', failed: '失败', stopped: '已停止',
};
const ENGLISH = {
  none: 'none', own: 'this page', closed: 'The connection is closed', refused: 'No connection: is the token right?',
};
const chinese = navigator.language.toLowerCase().startsWith('zh');
const say = (key) => (chinese && WORDS[key]) || ENGLISH[key] || key;

const $ = (id) => document.getElementById(id);

/** One conversation. Calls are answered by id, events go to `heard` by their subscription. */
class Client {
  #socket;
  #last = 0;
  #waiting = new Map();
  heard = new Map();

  constructor(token) {
    this.#socket = new WebSocket(`ws://${location.host}/`, ['kifud', `token.${token}`]);
    this.opened = new Promise((resolve, reject) => {
      this.#socket.onopen = resolve;
      this.#socket.onerror = reject;
    });
    this.closed = new Promise((resolve) => (this.#socket.onclose = resolve));
    this.#socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
  }

  call(method, params = {}) {
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #receive({ id, result, error, params }) {
    if (params) return this.heard.get(params.subscription)?.(params.result);
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) call?.reject(new Error(error.message));
    else call?.resolve(result);
  }
}

/** Rows of texts into a table's body. Texts of others never become markup. */
function fill(table, rows) {
  const columns = table.tHead.rows[0].cells.length;
  const body = rows.map(({ own, cells }) => {
    const row = document.createElement('tr');
    row.classList.toggle('own', Boolean(own));
    row.append(...cells.map((text) => Object.assign(document.createElement('td'), { textContent: text })));
    return row;
  });
  if (rows.length === 0) {
    const row = document.createElement('tr');
    row.append(Object.assign(document.createElement('td'), { textContent: say('none'), colSpan: columns }));
    body.push(row);
  }
  table.tBodies[0].replaceChildren(...body);
}

const duration = (seconds) => new Date(seconds * 1000).toISOString().slice(11, 19);
const percent = (value) => (value === undefined ? '' : `${value.toFixed(1)} %`);

async function show(client) {
  const [status, { sessions }] = await Promise.all([client.call('kifud/status'), client.call('kifud/sessions')]);
  const mib = Math.round(status.rssBytes / 2 ** 20);
  $('summary').textContent = `${status.version}, ${duration(status.uptimeSeconds)}, ${mib} MiB`;
  const name = ({ session, own }) => (own ? `${session} (${say('own')})` : `${session}`);
  fill($('sessions'), sessions.map((s) => ({
    own: s.own, cells: [name(s), duration(s.seconds), s.documents, s.requests, s.streams],
  })));
  const each = (list, cells) => sessions.flatMap((s) => s[list].map((one) => ({ own: s.own, cells: cells(one, name(s)) })));
  fill($('engines'), each('engines', ({ name, state }, session) => [name, session, say(state)]));
  fill($('analyses'), each('analyses', (a, session) => [a.engine, session, a.visits, percent(a.winrate)]));
}

/** A stream in the browser: an engine of the settings on an empty board. */
async function analyse(client) {
  const { engine } = await client.call('engine/attach', { name: $('engine').value });
  const params = { engineId: engine.id, position: { boardSize: 9 }, interval: 20 };
  const subscription = await client.call('engine/analyze', params);
  const ended = new Promise((resolve) => {
    client.heard.set(subscription, (event) => {
      const [best] = event.moves ?? [];
      if (best) $('live').value = `${best.vertex}  ${percent(best.winrate)}  ${event.visits}`;
      if (event.state === 'ended') resolve();
    });
  });
  $('stop').hidden = false;
  $('stop').onclick = () => client.call('engine/stop', { subscription });
  await ended;
  client.heard.delete(subscription);
  $('stop').hidden = true;
  await client.call('engine/detach', { engineId: engine.id });
}

async function connect(token) {
  const client = new Client(token);
  try {
    await client.opened;
  } catch {
    sessionStorage.removeItem('token');
    $('summary').textContent = say('refused');
    $('door').hidden = false;
    return;
  }
  sessionStorage.setItem('token', token);
  $('door').hidden = true;
  $('inside').hidden = false;
  await client.call('session/open', { client: 'status page' });
  const { configured } = await client.call('engine/list');
  $('engine').replaceChildren(...configured.map(({ name }) => new Option(name)));
  $('try').onsubmit = async (event) => {
    event.preventDefault();
    const start = event.submitter;
    start.disabled = true;
    await analyse(client).catch((error) => ($('live').value = error.message));
    start.disabled = false;
  };
  let timer;
  const next = () => show(client).then(() => (timer = setTimeout(next, 1000)), () => {});
  next();
  await client.closed;
  clearTimeout(timer);
  $('summary').textContent = say('closed');
  $('inside').hidden = true;
  $('door').hidden = false;
}

if (chinese) {
  document.documentElement.lang = 'zh';
  for (const element of document.querySelectorAll('[data-text]')) element.textContent = say(element.dataset.text);
}
$('door').onsubmit = (event) => {
  event.preventDefault();
  connect($('token').value.trim());
};
const given = new URLSearchParams(location.hash.slice(1)).get('token');
if (given) history.replaceState(null, '', location.pathname);
const token = given ?? sessionStorage.getItem('token');
if (token) connect(token);
else $('door').hidden = false;
