#!/usr/bin/env python3
"""Records what real engines print while they analyse, as golden transcripts.

For each engine of MATRIX one folder is written: a file of raw info lines for each game, node
and command, and a manifest.json that says which file is what; `kifud replay` reads both.
A new recording is as true as the old one but never the same: searches depend on time.

usage: capture.py ENGINES OUT [ENGINE...]
       ENGINES is what setup.sh filled; OUT becomes e.g. fixtures/transcripts
"""
import json
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time
import tomllib

GAMES = pathlib.Path(__file__).resolve().parents[2] / "fixtures" / "games"
START_SECONDS = 180  # a cold OpenCL cache
COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

ALL = "all"
# An engine's recordings: game, main-line nodes (0 is the root), command, centiseconds between
# lines, further arguments, lines wanted. A command with "search" runs to the visits given and
# ends by itself, so no number of lines is named.
MATRIX = {
    "katago": [
        ("short-9x9", [0, 12, 29], "kata-analyze", 20, "rootInfo true ownership true", 4),
        ("short-9x9", [0, 12, 29], "lz-analyze", 20, "", 4),
        ("short-9x9", [12], "analyze", 20, "maxmoves 8", 4),
        ("short-9x9", [12], "kata-search_analyze", 5, "rootInfo true", None),
        ("middle-13x13", [0, 44], "kata-analyze", 20, "maxmoves 40 rootInfo true", 4),
        ("middle-13x13", [44], "lz-analyze", 20, "maxmoves 40", 4),
        ("rectangle-13x7", [0, 24], "kata-analyze", 20, "rootInfo true ownership true", 3),
        ("rectangle-13x7", [24], "lz-analyze", 20, "", 3),
        ("handicap-19x19", [0, 30, 45], "kata-analyze", 20, "maxmoves 40 rootInfo true", 4),
        ("handicap-19x19", [62], "kata-analyze", 50, "rootInfo true pvVisits true", 1),
        ("handicap-19x19", [60], "kata-analyze", 50,
         "maxmoves 3 rootInfo true ownership true ownershipStdev true movesOwnership true", 3),
        ("handicap-19x19", [0, 30, 45], "lz-analyze", 20, "maxmoves 40", 4),
    ],
    "leelaz": [
        ("handicap-19x19", [0, 30, 45, 62], "lz-analyze", 20, "", 5),
    ],
    "katago-real": [
        ("endgame-9x9", [28], "kata-analyze", 100, "rootInfo true ownership true", 8),
        ("endgame-9x9", [28], "lz-analyze", 100, "", 5),
        ("short-9x9", ALL, "kata-search_analyze", 200, "maxmoves 10 rootInfo true", None),
        # The search before has filled the cache, so these reach its visits too.
        ("short-9x9", ALL, "kata-analyze", 100, "maxmoves 10 rootInfo true", 5),
    ],
}
SEARCH_VISITS = 50
NETS = {
    "katago": "tests/engines/katago_net.py, seed 1",
    "leelaz": "tests/engines/leelaz_net.py, seed 1",
    "katago-real": "the net inside the wheel katrain 1.20.0",
}


class Game:
    """The main line of an SGF file."""

    def __init__(self, name):
        self.name = name + ".sgf"
        text = (GAMES / self.name).read_text(encoding="utf-8")
        value = r"\[((?:\\.|[^\]\\])*)\]"
        self.size, self.komi, self.rules = (19, 19), 0, None
        self.setup, self.moves = [], []
        # The main line ends at the first ")" that is no part of a value.
        for token in re.finditer(rf"([A-Z]+)((?:\s*{value})+)|\)", text, re.S):
            if token.group() == ")":
                break
            self.property(token.group(1), re.findall(value, token.group(2), re.S))

    def property(self, name, values):
        if name == "SZ":
            sides = [int(side) for side in values[0].split(":")]
            self.size = (sides[0], sides[-1])
        elif name == "KM":
            self.komi = float(values[0])
        elif name == "RU":
            self.rules = values[0].lower()
        elif name == "AB":
            self.setup = ["B " + self.vertex(value) for value in values]
        elif name in ("B", "W"):
            self.moves.append(name + " " + self.vertex(values[0]))

    def vertex(self, value):
        if value == "":
            return "pass"
        column, row = (ord(letter) - ord("a") for letter in value)
        return COLUMNS[column] + str(self.size[1] - row)

    def to_play(self, node):
        last = (["W pass", *self.setup] + self.moves[:node])[-1]
        return "W" if last.startswith("B") else "B"


class Engine:
    """A GTP program whose lines arrive through a queue."""

    def __init__(self, entry):
        self.process = subprocess.Popen(
            [entry["path"], *entry["args"]], text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.program = self.ask("name")
        self.version = self.ask("version")
        self.commands = self.ask("list_commands").split("\n")

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\r\n"))
        self.lines.put(None)

    def line(self):
        line = self.lines.get(timeout=START_SECONDS)
        if line is None:
            raise EOFError(f"{self.process.args[0]} ended")
        return line

    def send(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def rest(self):
        """The lines up to the empty one."""
        return list(iter(self.line, ""))

    def ask(self, command):
        self.send(command)
        answer = "\n".join(self.rest())
        if not answer.startswith("="):
            raise ValueError(f"{command}: {answer}")
        return answer[1:].strip()

    def set_up(self, game, node):
        width, height = game.size
        if width == height:
            self.ask(f"boardsize {width}")
        else:
            self.ask(f"rectangular_boardsize {width} {height}")
        self.ask("clear_board")
        self.ask(f"komi {game.komi:g}")
        if game.rules and "kata-set-rules" in self.commands:
            self.ask(f"kata-set-rules {game.rules}")
        if game.setup:
            self.ask("set_free_handicap " + " ".join(stone[2:] for stone in game.setup))
        for move in game.moves[:node]:
            self.ask("play " + move)

    def record(self, command, wanted):
        self.send(command)
        header = self.line()
        if not header.startswith("="):
            raise ValueError(f"{command}: {header}")
        if wanted is None:  # a search: it ends by itself
            return self.rest()
        lines = [self.line() for _ in range(wanted)]
        self.send("protocol_version")
        self.rest()  # late info lines belong to nobody
        self.rest()
        return lines

    def quit(self):
        self.send("quit")
        self.process.wait(60)


def board_size(game):
    width, height = game.size
    return width if width == height else [width, height]


def record_engine(name, entry, out):
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.txt"):
        old.unlink()
    engine, transcripts = Engine(entry), []
    for game_name, nodes, command, interval, arguments, wanted in MATRIX[name]:
        game = Game(game_name)
        if "search" in command:
            engine.ask(f"kata-set-param maxVisits {SEARCH_VISITS}")
        for node in range(len(game.moves) + 1) if nodes == ALL else nodes:
            began = time.monotonic()
            color = game.to_play(node)
            engine.set_up(game, node)
            lines = engine.record(f"{command} {color} {interval} {arguments}".strip(), wanted)
            file = f"{game_name}.{node:02}.{command}.txt"
            (out / file).write_text("".join(line + "\n" for line in lines))
            transcripts.append({
                "file": file, "game": game.name, "node": node, "command": command,
                "arguments": arguments, "interval": interval, "color": color,
                "boardSize": board_size(game), "komi": game.komi, "rules": game.rules,
                "moves": game.setup + game.moves[:node],
                "lines": sum(line.startswith("info ") for line in lines),
            })
            print(f"{name}/{file}: {time.monotonic() - began:.1f} s", flush=True)
    manifest = {
        "engine": name, "program": engine.program, "version": engine.version,
        "net": NETS[name], "transcripts": transcripts,
    }
    engine.quit()
    (out / "manifest.json").write_text(one_entry_a_line(manifest))


def one_entry_a_line(manifest):
    entries = ",\n".join("    " + json.dumps(each) for each in manifest["transcripts"])
    head = {key: value for key, value in manifest.items() if key != "transcripts"}
    return json.dumps(head, indent=2)[:-2] + f',\n  "transcripts": [\n{entries}\n  ]\n}}\n'


def main():
    engines, out, *names = sys.argv[1:]
    with open(pathlib.Path(engines) / "kifud.toml", "rb") as file:
        entries = {entry["name"]: entry for entry in tomllib.load(file)["engines"]}
    for name in names or MATRIX:
        record_engine(name, entries[name], pathlib.Path(out) / name)


if __name__ == "__main__":
    main()
