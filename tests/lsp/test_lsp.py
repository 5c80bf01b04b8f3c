"""A whole session over LSP, led by a client that nobody here wrote: pytest-lsp with lsprotocol's types.

The engine is `kifud replay` with recorded output of the real KataGo, so every number expected here is read
from the recording. Environment: KIFUD names the built program.
"""

import asyncio
import json
import pathlib
import re
import tempfile

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, client_capabilities

from editor import KIFUD, PATIENCE, ROOT, SNAPSHOTS, Editor, next_id, server, until

TRANSCRIPTS = ROOT / "fixtures/transcripts/katago-real"
GAME = ROOT / "fixtures/games/short-9x9.sgf"
FOLDER = tempfile.TemporaryDirectory()


def command():
    """The server, with a settings file that names the recorded engine. What the editor before has found is not known."""
    file = pathlib.Path(FOLDER.name, "kifud.toml")
    arguments = json.dumps(["replay", "--transcript", str(TRANSCRIPTS), "--analyze-command", "kata-analyze"])
    engine = f'[[engines]]\nname = "recorded"\npath = {json.dumps(KIFUD)}\nargs = {arguments}\n'
    file.write_text("[cache]\nenabled = false\n" + engine)
    return server("--config", str(file))


@pytest_lsp.fixture(
    params=SNAPSHOTS,
    config=ClientServerConfig(server_command=command(), client_factory=Editor),
)
async def editor(request, lsp_client: Editor):
    lsp_client.kind = request.param
    yield
    if lsp_client._server.returncode is None:  # the test has failed before the end
        lsp_client._server.kill()


# ---- what the recording says ----------------------------------------------------------------------------------


def recorded_values(node):
    """Every (SBKV, SBKS) that the recording of a node of the game allows: Black's, two decimals."""
    manifest = json.loads((TRANSCRIPTS / "manifest.json").read_text())
    (entry,) = [
        t for t in manifest["transcripts"] if (t["game"], t["node"], t["command"]) == (GAME.name, node, "kata-analyze")
    ]
    values = set()
    for line in (TRANSCRIPTS / entry["file"]).read_text().splitlines():
        # The value of the position is rootInfo's, else that of the move which the engine puts first.
        source = re.search(r"rootInfo (.*)", line) or re.search(r"info (move .*? order 0 )", line)
        winrate = 100 * float(re.search(r"\bwinrate (\S+)", source[1])[1])
        lead = float(re.search(r"\bscoreLead (\S+)", source[1])[1])
        if entry["color"] == "W":
            winrate, lead = 100 - winrate, -lead
        values.add((round(winrate, 2) + 0.0, round(lead, 2) + 0.0))
    return values


def written_values(text, move):
    """(SBKV, SBKS) behind a move in a record."""
    found = re.search(re.escape(move) + r"[^;]*?SBKV\[([-\d.]+)\]\s*SBKS\[([-\d.]+)\]", text)
    assert found, f"no values behind {move}:\n{text}"
    return float(found[1]), float(found[2])


# ---- the session ----------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_a_whole_session(editor):
    text = GAME.read_text(encoding="utf-8")
    capabilities = client_capabilities(editor.kind)
    ready = await editor.begin(capabilities)
    offered = (capabilities.general and capabilities.general.position_encodings) or []
    assert editor.units == ("utf-8" if "utf-8" in offered else "utf-16")
    assert ready["serverInfo"]["name"] == "kifud"
    assert ready["capabilities"]["textDocumentSync"]["change"] == types.TextDocumentSyncKind.Incremental

    editor.open(text)
    editor.progress_reports["starting"] = []
    attached = (await editor.call("engine/attach", name="recorded", workDoneToken="starting"))["engine"]
    assert attached["program"] == "KataGo"
    await until("the end of the progress report", lambda: len(editor.progress_reports["starting"]) >= 2)

    # Analysis at the cursor, which stands behind Chinese text: the 11th move.
    place = editor.cursor("B[ei];W[di];B[ca]")
    stream = await editor.call(
        "engine/analyze", engineId=attached["id"], position=place, interval=10, writeBack="end"
    )
    running = lambda: [event for event in editor.events(stream) if event["state"] == "running"]
    await until("5 reports", lambda: len(running()) >= 5)
    first = running()[0]
    assert first["node"] == {"game": 0, "path": ["0*11"]}
    assert first["color"] == "W"
    assert abs(first["winrate"] + first["black"]["winrate"] - 100) < 0.001

    # The cursor moves. After the answer there is nothing about the node it has left.
    answer = next_id()
    params = {"subscription": stream, "position": editor.cursor("B[fg]")}
    await asyncio.wait_for(editor.protocol.send_request_async("analysis/retarget", params, msg_id=answer), PATIENCE)
    turned = editor.answered(answer)
    synced = editor.wire[turned]["result"]
    assert synced["revision"] > first["revision"]
    after = lambda: [event for event in editor.events(stream, since=turned) if event["state"] == "running"]
    await until("5 reports of the new node", lambda: len(after()) >= 5)
    assert {json.dumps(event["node"]) for event in after()} == {'{"game": 0, "path": ["0*3"]}'}
    assert {event["revision"] for event in after()} == {synced["revision"]}

    # Stop: one last event, and the values of both nodes are in the document. Nothing else has changed.
    await editor.call("engine/stop", subscription=stream)
    ended = await until("the last event", lambda: [e for e in editor.events(stream) if e["state"] == "ended"])
    assert [event["reason"] for event in ended] == ["stopped"]
    await until("two edits", lambda: editor.edits >= 2)
    assert written_values(editor.text, ";B[ei]") in recorded_values(11)
    assert written_values(editor.text, ";B[fg]") in recorded_values(3)
    assert re.sub(r"SBK[VS]\[[-\d.]+\]|KFCA(\[[^]]*\])+", "", editor.text) == text

    # The daemon reads its own edits as the editor has told them.
    board = await editor.call("record/board", **editor.cursor("di];B[ca]"))
    assert (board["moveNumber"], board["lastMove"]) == (12, {"color": "W", "vertex": "D1"})

    await editor.call("engine/detach", engineId=attached["id"])
    assert (await editor.call("engine/list"))["attached"] == []
    await editor.end()
    assert list(editor.events(stream))[-1]["state"] == "ended"


@pytest.mark.asyncio
async def test_edits_behind_emoji(editor):
    """Incremental changes on a line with characters outside the basic plane, in the agreed encoding."""
    await editor.begin(editor.kind)
    editor.open("(;SZ[5]C[😀围棋😀];B[aa];W[bb]\n;B[cc])")
    at = editor.cursor("bb")["node"]["position"]
    start = types.Position(**at)
    end = types.Position(line=at["line"], character=at["character"] + 2)
    editor.change([types.TextEdit(range=types.Range(start=start, end=end), new_text="ee")])
    assert editor.text == "(;SZ[5]C[😀围棋😀];B[aa];W[ee]\n;B[cc])"
    board = await editor.call("record/board", **editor.cursor(";B[cc]"))
    assert board["stones"] == ["X....", ".....", "..X..", ".....", "....O"]
    assert (await editor.call("record/board", **editor.cursor("B[aa]")))["moveNumber"] == 1
    await editor.end()
