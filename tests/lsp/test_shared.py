"""Two editors, one KataGo: Neovim with kifud's plug-in, and pytest-lsp, both behind `kifud connect`.

Their analyses take turns on one process, every update is about the own document, and when either is killed with
SIGKILL the other does not notice. Environment: KIFUD names the built program, KIFUD_ENGINES the folder of
tests/engines/setup.sh, KIFUD_EDITORS that of tests/editors/setup.sh.
"""

import asyncio
import json
import os
import pathlib
import signal
import tempfile
import tomllib

import pytest
import pytest_lsp
from pytest_lsp import ClientServerConfig

from editor import KIFUD, PATIENCE, ROOT, Editor, until

FOLDER = tempfile.TemporaryDirectory()
WORK = pathlib.Path(FOLDER.name)
ENGINES = os.environ.get("KIFUD_ENGINES")
NVIM = pathlib.Path(os.environ.get("KIFUD_EDITORS", "."), "venv/bin/nvim").absolute()
SMALL = "(;SZ[9]KM[7];B[cc];W[gg];B[gc];W[cg])"
LARGE = "(;SZ[19]KM[7.5];B[dd];W[qq];B[qd])"
READY = ENGINES and NVIM.exists()
pytestmark = pytest.mark.skipif(not READY, reason="KIFUD_ENGINES and KIFUD_EDITORS name the folders of the set-ups")
if not READY:
    print("SKIPPED: two editors on one KataGo")


def surroundings():
    """A runtime folder of our own, and nothing of the user's configuration."""
    names = ["RUNTIME_DIR", "CONFIG_HOME", "DATA_HOME", "STATE_HOME", "CACHE_HOME"]
    return {f"XDG_{name}": str(WORK) for name in names}


def bridge():
    """The way to the shared daemon, which has a KataGo for all."""
    WORK.chmod(0o700)
    engine = {"path": "none", "args": []}
    if ENGINES:
        settings = tomllib.loads(pathlib.Path(ENGINES, "kifud.toml").read_text())
        engine = next(engine for engine in settings["engines"] if engine["name"] == "katago")
    lines = [f"{name} = {json.dumps(engine[name])}" for name in ("path", "args")]
    text = "\n".join(["sliceMs = 1000", "[[engines]]", 'name = "katago"', *lines, "shared = true", ""])
    file = WORK / "kifud.toml"
    file.write_text(text)
    variables = [f"{name}={value}" for name, value in surroundings().items()]
    return ["env", *variables, KIFUD, "--config", str(file), "connect"]


@pytest_lsp.fixture(config=ClientServerConfig(server_command=bridge(), client_factory=Editor))
async def editor(lsp_client: Editor):
    yield
    if lsp_client._server.returncode is None:
        lsp_client._server.kill()


class Neovim:
    """Neovim with the small game open; it analyses with the cursor on White's first move."""

    async def start(self):
        game, plugin = WORK / "small.sgf", ROOT / "clients/nvim"
        game.write_text(SMALL)
        (WORK / "updates").write_text("")
        program = WORK / "kifud-connect"
        program.write_text(f'#!/bin/sh\nexec "{KIFUD}" --config "{WORK}/kifud.toml" connect\n')
        program.chmod(0o700)
        options = ["--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", f"set runtimepath^={plugin}"]
        options += ["--cmd", f"let g:kifud = {{'path': '{program}'}}", "--cmd", "filetype on"]
        options += ["--cmd", "runtime! plugin/kifud.lua", "+luafile " + str(ROOT / "tests/lsp/shared.lua")]
        variables = os.environ | surroundings() | {"GAME": str(game), "UPDATES": str(WORK / "updates")}
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(
            NVIM, *options, env=variables, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.STDOUT
        )

    def updates(self):
        lines = (WORK / "updates").read_text().splitlines(keepends=True)
        events = [json.loads(line) for line in lines if line.endswith("\n")]
        return [event.get("result", event) for event in events]

    async def kill(self):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            await self.process.wait()


def vertex(text):
    """Column and row from 1."""
    return "ABCDEFGHJKLMNOPQRST".index(text[0]) + 1, int(text[1:])


def check(updates, size, stones, color, node):
    """Every update is about this board and nothing else; gives the states, one after the other."""
    for event in updates:
        told = event["state"], event["node"]["game"], event["node"]["path"]
        assert told[1:] == (0, node), told
        if event["state"] != "running":
            continue
        assert event["color"] == color, told
        for move in event["moves"]:
            points = [text for text in [move["vertex"], *move["pv"]] if text != "pass"]
            assert all(max(vertex(text)) <= size for text in points), points
            assert move["vertex"] not in stones, points
    return [event["state"] for event in updates]


def turns(states):
    return states.count("waiting")


async def both(editor):
    """Both editors analyse, and have had to wait for each other."""
    neovim = Neovim()
    await neovim.start()
    try:
        await editor.begin("neovim")
        editor.open(LARGE)
        attached = (await editor.call("engine/attach", name="katago"))["engine"]
        assert attached["shared"]
        where = editor.cursor(";B[qd]")
        stream = await editor.call(
            "engine/analyze", engineId=attached["id"], position=where, interval=20, maxMoves=4
        )
        mine = lambda: list(editor.events(stream))
        await until("both have had turns", lambda: turns(states(mine())) >= 2 and turns(states(neovim.updates())) >= 2)
        return neovim, mine
    except BaseException:
        await neovim.kill()
        raise


def states(events):
    return [event["state"] for event in events]


def check_neovim(neovim):
    # After W[gg] Black is to move.
    return check(neovim.updates(), 9, ["C7", "G3"], "B", ["0*2"])


def check_mine(mine):
    # After B[qd] White is to move. A board of 9 lines does not have all these points.
    found = check(mine(), 19, ["D16", "R3", "R16"], "W", ["0*3"])
    seen = {move["vertex"] for event in mine() if event["state"] == "running" for move in event["moves"]}
    assert any(text != "pass" and max(vertex(text)) > 9 for text in seen), seen
    return found


def engines():
    """The KataGos that run for us."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment, line = (process / "environ").read_bytes(), (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"XDG_RUNTIME_DIR={WORK}".encode() in environment.split(b"\0") and b"-model" in line.split(b"\0"):
            found.append(line)
    return found


async def status():
    """What the daemon that both share says of itself."""
    variables = os.environ | surroundings()
    command = [KIFUD, "--config", str(WORK / "kifud.toml"), "status", "--json"]
    process = await asyncio.create_subprocess_exec(*command, env=variables, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    return json.loads(said)


async def alone(daemon):
    """Of the one that was killed nothing is left, and the daemon goes on."""
    for _ in range(PATIENCE * 10):
        found = await status()
        if found["sessions"] == 1:
            break
        await asyncio.sleep(0.1)
    assert [found[name] for name in ("pid", "sessions", "documents", "engines")] == [daemon["pid"], 1, 1, 1]
    assert len(engines()) == 1


@pytest.mark.asyncio
async def test_neovim_is_killed(editor: Editor):
    neovim, mine = await both(editor)
    daemon = await status()
    assert (daemon["sessions"], daemon["documents"], len(engines())) == (2, 2, 1)
    await neovim.kill()
    check_neovim(neovim)
    before = len(mine())
    await until("reports go on", lambda: states(mine()[before:]).count("running") >= 10)
    # Nobody is waited for any more.
    assert turns(check_mine(mine)[before:]) <= 1
    await alone(daemon)
    board = await editor.call("record/board", **editor.cursor(";B[qd]"))
    assert (board["size"], board["moveNumber"]) == (19, 3)
    await editor.end()


@pytest.mark.asyncio
async def test_the_other_one_is_killed(editor: Editor):
    neovim, mine = await both(editor)
    try:
        check_mine(mine)
        daemon = await status()
        editor._server.send_signal(signal.SIGKILL)
        before = len(neovim.updates())
        await until("reports go on", lambda: states(neovim.updates()[before:]).count("running") >= 5)
        assert turns(check_neovim(neovim)[before:]) <= 1
        assert "ended" not in states(neovim.updates())
        assert neovim.process.returncode is None
        await alone(daemon)
    finally:
        await neovim.kill()
