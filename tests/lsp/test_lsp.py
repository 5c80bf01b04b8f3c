"""A whole session over LSP, led by a client that nobody here wrote: pytest-lsp with lsprotocol's types.

The engine is `kifud replay` with recorded output of the real KataGo, so every number expected here is read
from the recording. Environment: KIFUD names the built program.
"""

import asyncio
import copy
import json
import os
import pathlib
import re
import tempfile

import pytest
import pytest_lsp
from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import LanguageClientProtocol, default_converter, register_lsp_features

ROOT = pathlib.Path(__file__).resolve().parents[2]
KIFUD = os.environ.get("KIFUD", str(ROOT / "target/debug/kifud"))
TRANSCRIPTS = ROOT / "fixtures/transcripts/katago-real"
GAME = ROOT / "fixtures/games/short-9x9.sgf"
URI = "file:///games/%E5%9B%B4%E6%A3%8B%209.sgf"
PATIENCE = 30


# ---- the client -----------------------------------------------------------------------------------------------


class Protocol(LanguageClientProtocol):
    """Keeps every message as it came, in order, before anything is made of it."""

    def structure_message(self, data):
        if "jsonrpc" in data:  # it is called for the objects inside as well
            self._server.wire.append(copy.deepcopy(data))
        return super().structure_message(data)


class Editor(LanguageClient):
    """An editor with one open document."""

    def __init__(self):
        self.wire = []
        super().__init__(protocol_cls=Protocol, converter_factory=default_converter)
        register_lsp_features(self)
        self.feature("analysis/update")(lambda _: None)  # read from the wire
        self.text, self.version, self.units, self.edits = "", 0, "utf-16", 0
        self.feature(types.WORKSPACE_APPLY_EDIT)(apply_edit)

    async def call(self, method, **params):
        """A request of kifud's own; the answer as it came."""
        message = next_id()
        await asyncio.wait_for(self.protocol.send_request_async(method, params, msg_id=message), PATIENCE)
        return self.wire[self.answered(message)]["result"]

    def answered(self, message):
        """Where in the stream the answer to a request is."""
        return next(i for i, m in enumerate(self.wire) if m.get("id") == message and "method" not in m)

    def events(self, subscription, since=0):
        for message in self.wire[since:]:
            if message.get("method") == "analysis/update" and message["params"]["subscription"] == subscription:
                yield message["params"]["result"]

    def open(self, text):
        self.text, self.version = text, 1
        item = types.TextDocumentItem(uri=URI, language_id="sgf", version=1, text=text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def apply(self, params):
        """What an editor does with an edit: the version must fit, then the server is told what has changed."""
        (change,) = params.edit.document_changes
        if change.text_document.uri != URI or change.text_document.version != self.version:
            return types.ApplyWorkspaceEditResult(applied=False)
        self.edits += 1
        self.change(change.edits)
        return types.ApplyWorkspaceEditResult(applied=True)

    def change(self, edits):
        """Replaces ranges of the document, the last one first, so that earlier ones stay where they are.

        Of two insertions at one place the first shall stand first, so it is made last."""
        edits = sorted(reversed(edits), key=lambda edit: self.offset(edit.range.start), reverse=True)
        for edit in edits:
            start, end = self.offset(edit.range.start), self.offset(edit.range.end)
            self.text = self.text[:start] + edit.new_text + self.text[end:]
        self.version += 1
        changes = [types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text) for edit in edits]
        document = types.VersionedTextDocumentIdentifier(uri=URI, version=self.version)
        params = types.DidChangeTextDocumentParams(text_document=document, content_changes=changes)
        self.text_document_did_change(params)

    def width(self, text):
        return len(text.encode("utf-8")) if self.units == "utf-8" else len(text.encode("utf-16-le")) // 2

    def offset(self, place):
        lines = self.text.split("\n")
        column = next(i for i in range(len(lines[place.line]) + 1) if self.width(lines[place.line][:i]) == place.character)
        return sum(len(line) + 1 for line in lines[: place.line]) + column

    def cursor(self, text):
        """A position on the wire for the cursor where a text begins."""
        before = self.text[: self.text.index(text)]
        place = {"line": before.count("\n"), "character": self.width(before.rsplit("\n", 1)[-1])}
        return {"document": {"uri": URI}, "node": {"position": place}}


def apply_edit(client: Editor, params: types.ApplyWorkspaceEditParams):
    return client.apply(params)


def next_id(counter=iter(range(1, 1_000_000))):
    return f"test-{next(counter)}"


async def until(what, condition):
    """Waits for something to become true; says what it was when it does not."""
    for _ in range(PATIENCE * 50):
        if found := condition():
            return found
        await asyncio.sleep(0.02)
    raise AssertionError(f"waited {PATIENCE} s for {what}")


FOLDER = tempfile.TemporaryDirectory()


def command():
    """The daemon, with a settings file that names the recorded engine."""
    file = pathlib.Path(FOLDER.name, "kifud.toml")
    arguments = json.dumps(["replay", "--transcript", str(TRANSCRIPTS), "--analyze-command", "kata-analyze"])
    file.write_text(f'[[engines]]\nname = "recorded"\npath = {json.dumps(KIFUD)}\nargs = {arguments}\n')
    return [KIFUD, "serve", "--stdio", "--config", str(file)]


@pytest_lsp.fixture(
    params=["neovim", "visual_studio_code", "emacs"],
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


def assert_strict(wire):
    """Every standard message survives lsprotocol's types without losing or gaining anything."""
    converter, checked = get_converter(), 0
    for message in wire:
        kind = types.METHOD_TO_TYPES.get(message.get("method"))
        if kind:
            checked += 1
            assert converter.unstructure(converter.structure(copy.deepcopy(message), kind[0])) == message
    return checked


# ---- the session ----------------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_a_whole_session(editor):
    text = GAME.read_text(encoding="utf-8")
    capabilities = client_capabilities(editor.kind)
    ready = await editor.initialize_session(types.InitializeParams(capabilities=capabilities))
    offered = (capabilities.general and capabilities.general.position_encodings) or []
    editor.units = ready.capabilities.position_encoding or "utf-16"
    assert editor.units == ("utf-8" if "utf-8" in offered else "utf-16")
    assert ready.server_info.name == "kifud"
    assert get_converter().unstructure(ready) == editor.wire[0]["result"]
    assert ready.capabilities.text_document_sync.change == types.TextDocumentSyncKind.Incremental

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
    assert re.sub(r"SBK[VS]\[[-\d.]+\]", "", editor.text) == text

    # The daemon reads its own edits as the editor has told them.
    board = await editor.call("record/board", **editor.cursor("di];B[ca]"))
    assert (board["moveNumber"], board["lastMove"]) == (12, {"color": "W", "vertex": "D1"})

    await editor.call("engine/detach", engineId=attached["id"])
    assert (await editor.call("engine/list"))["attached"] == []
    await asyncio.wait_for(editor.shutdown_session(), PATIENCE)
    assert editor._server.returncode == 0
    assert list(editor.events(stream))[-1]["state"] == "ended"
    assert assert_strict(editor.wire) >= 4


@pytest.mark.asyncio
async def test_edits_behind_emoji(editor):
    """Incremental changes on a line with characters outside the basic plane, in the agreed encoding."""
    capabilities = client_capabilities(editor.kind)
    ready = await editor.initialize_session(types.InitializeParams(capabilities=capabilities))
    editor.units = ready.capabilities.position_encoding or "utf-16"
    editor.open("(;SZ[5]C[😀围棋😀];B[aa];W[bb]\n;B[cc])")
    at = editor.cursor("bb")["node"]["position"]
    start = types.Position(**at)
    end = types.Position(line=at["line"], character=at["character"] + 2)
    editor.change([types.TextEdit(range=types.Range(start=start, end=end), new_text="ee")])
    assert editor.text == "(;SZ[5]C[😀围棋😀];B[aa];W[ee]\n;B[cc])"
    board = await editor.call("record/board", **editor.cursor(";B[cc]"))
    assert board["stones"] == ["X....", ".....", "..X..", ".....", "....O"]
    assert (await editor.call("record/board", **editor.cursor("B[aa]")))["moveNumber"] == 1
    await asyncio.wait_for(editor.shutdown_session(), PATIENCE)
    assert editor._server.returncode == 0
