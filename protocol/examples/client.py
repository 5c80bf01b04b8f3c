"""Talks to kifud over a WebSocket: watches an analysis, then plays a move of xiangqi.

    pip install websockets
    kifud serve --listen 127.0.0.1:9090 --token-file TOKEN
    python3 client.py 127.0.0.1:9090 TOKEN game.sgf
"""
import json
import sys
from pathlib import Path

from websockets.sync.client import connect

START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"


class Kifud:
    def __init__(self, socket):
        self.socket, self.last_id, self.events = socket, 0, []

    def receive(self):
        return json.loads(self.socket.recv())

    def call(self, method, **params):
        """The result of a request; notifications that come before it are kept."""
        self.last_id += 1
        self.socket.send(json.dumps({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}))
        while (message := self.receive()).get("id") != self.last_id:
            self.events.append(message["params"])
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        return message["result"]

    def stream(self, subscription):
        """The events of a stream, up to its last."""
        state = None
        while state != "ended":
            event = self.events.pop(0) if self.events else self.receive()["params"]
            if event["subscription"] == subscription:
                state = event["result"]["state"]
                yield event["result"]


def main(address, token_file, game):
    token = Path(token_file).read_text().strip()
    with connect(f"ws://{address}", additional_headers={"Authorization": f"Bearer {token}"}) as socket:
        kifud = Kifud(socket)
        kifud.call("document/open", uri="game", text=Path(game).read_text(encoding="utf-8"))
        engine = kifud.call("engine/attach", name="builtin")["engine"]["id"]
        node = {"document": {"uri": "game"}, "node": {"path": ["0*12"]}}
        analysis = kifud.call("engine/analyze", engineId=engine, position=node, interval=10)
        reports = (event for event in kifud.stream(analysis) if event["state"] == "running")
        for _, report in zip(range(3), reports):
            best = report["moves"][0]
            print(f"{report['visits']} visits: {best['vertex']} {best['winrate']:.1f}% {' '.join(best['pv'])}")
        kifud.call("engine/stop", subscription=analysis)
        played = kifud.call("xiangqi/move", fen=START, move="炮二平五")
        print(played["move"]["zh"], played["move"]["iccs"], played["fen"])


main(*sys.argv[1:])
