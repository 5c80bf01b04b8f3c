"""An editor for tests, on pytest-lsp: it keeps one document, applies edits, and every message of the server is checked
to the letter. Environment: KIFUD names the built program, KIFUD_DOOR the way to it: `stdio` or `connect`.
"""

import asyncio
import copy
import json
import os
import pathlib

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import LanguageClientProtocol, default_converter, register_lsp_features

from strict import CONVERTER, Conversation, Text

ROOT = pathlib.Path(__file__).resolve().parents[2]
KIFUD = os.environ.get("KIFUD", str(ROOT / "target/debug/kifud"))
URI = "file:///games/%E5%9B%B4%E6%A3%8B%209.sgf"
PATIENCE = 30
SNAPSHOTS = ["neovim", "visual_studio_code", "emacs"]


def server(*settings):
    """The command of a daemon on pipes, or of the bridge to one that is shared."""
    if os.environ.get("KIFUD_DOOR") == "connect":
        return [KIFUD, *settings, "--set", "leaveAfterSeconds=1", "connect"]
    return [KIFUD, *settings, "serve", "--stdio"]


class Protocol(LanguageClientProtocol):
    """Keeps every message as it came, in order, before anything is made of it, and has it checked."""

    def structure_message(self, data):
        if "jsonrpc" in data:  # it is called for the objects inside as well
            message = copy.deepcopy(data)
            self._server.wire.append(message)
            self._server.conversation.server(message)
        return super().structure_message(data)

    def _send_data(self, data):
        self._server.conversation.client(json.loads(json.dumps(data, default=self._serialize_message)))
        super()._send_data(data)


class Editor(LanguageClient):
    """An editor with one open document."""

    def __init__(self):
        self.wire, self.conversation = [], Conversation()
        super().__init__(protocol_cls=Protocol, converter_factory=default_converter)
        register_lsp_features(self)
        self.feature("analysis/update")(lambda _: None)  # read from the wire
        self.text, self.version, self.units, self.edits = "", 0, "utf-16", 0
        self.feature(types.WORKSPACE_APPLY_EDIT)(apply_edit)
        self.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _: None)

    async def begin(self, capabilities):
        """`initialize`; the answer as it came."""
        if isinstance(capabilities, str):
            capabilities = client_capabilities(capabilities)
        ready = await self.initialize_session(types.InitializeParams(capabilities=capabilities))
        self.units = ready.capabilities.position_encoding or "utf-16"
        return self.wire[0]["result"]

    async def end(self):
        """Takes leave, and says that all that was said was right."""
        await asyncio.wait_for(self.shutdown_session(), PATIENCE)
        assert self._server.returncode == 0
        assert self.conversation.faults == []
        assert self.conversation.checked == len(self.wire) > 1

    async def call(self, method, **params):
        """A request; the answer as it came."""
        message = next_id()
        if method in types.METHOD_TO_TYPES:
            params = CONVERTER.structure(params, types.METHOD_TO_TYPES[method][2])
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
        text = Text(self.text, self.units)
        place = lambda edit: text.offset({"line": edit.range.start.line, "character": edit.range.start.character})
        edits = sorted(reversed(edits), key=place, reverse=True)
        changes = [types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text) for edit in edits]
        for change in changes:
            text = text.changed(CONVERTER.unstructure(change))
        self.text = text.text
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(uri=URI, version=self.version)
        params = types.DidChangeTextDocumentParams(text_document=document, content_changes=changes)
        self.text_document_did_change(params)

    def place(self, piece, behind=0):
        """Where a piece of the text begins, or so many characters behind that."""
        before = self.text[: self.text.index(piece) + behind]
        column = Text(self.text, self.units).width(before.rsplit("\n", 1)[-1])
        return {"line": before.count("\n"), "character": column}

    def around(self, piece):
        return {"start": self.place(piece), "end": self.place(piece, len(piece))}

    def slice(self, place):
        """The piece of the text in a range."""
        text = Text(self.text, self.units)
        return self.text[text.offset(place["start"]) : text.offset(place["end"])]

    def cursor(self, text):
        """A position on the wire for the cursor where a text begins."""
        return {"document": {"uri": URI}, "node": {"position": self.place(text)}}


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
