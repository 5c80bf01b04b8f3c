// Talks to kifud over a WebSocket: watches an analysis, then plays a move of xiangqi.
//
//   npm install ws
//   kifud serve --listen 127.0.0.1:9090 --token-file TOKEN
//   node client.mjs 127.0.0.1:9090 TOKEN game.sgf
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import WebSocket from 'ws'

const START = 'rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1'

class Kifud {
  constructor(socket) {
    this.socket = socket
    this.lastId = 0
    this.waiting = new Map()
    this.streams = new Map()
    socket.on('message', (data) => this.receive(JSON.parse(data)))
  }

  receive({ id, method, params, result, error }) {
    if (method) return this.streams.get(params.subscription)?.(params.result)
    const { resolve, reject } = this.waiting.get(id)
    this.waiting.delete(id)
    if (error) reject(new Error(error.message))
    else resolve(result)
  }

  call(method, params = {}) {
    const id = ++this.lastId
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }))
  }
}

const [address, tokenFile, game] = process.argv.slice(2)
const token = readFileSync(tokenFile, 'utf8').trim()
const socket = new WebSocket(`ws://${address}`, { headers: { Authorization: `Bearer ${token}` } })
await once(socket, 'open')
const kifud = new Kifud(socket)
await kifud.call('document/open', { uri: 'game', text: readFileSync(game, 'utf8') })
const { engine } = await kifud.call('engine/attach', { name: 'builtin' })
const position = { document: { uri: 'game' }, node: { path: ['0*12'] } }
const analysis = await kifud.call('engine/analyze', { engineId: engine.id, position, interval: 10 })
let lines = 0
await new Promise((done) => {
  kifud.streams.set(analysis, (report) => {
    if (report.state !== 'running' || lines === 3) return
    const [best] = report.moves
    console.log(`${report.visits} visits: ${best.vertex} ${best.winrate.toFixed(1)}% ${best.pv.join(' ')}`)
    if (++lines === 3) done()
  })
})
await kifud.call('engine/stop', { subscription: analysis })
const played = await kifud.call('xiangqi/move', { fen: START, move: '炮二平五' })
console.log(played.move.zh, played.move.iccs, played.fen)
socket.close()
