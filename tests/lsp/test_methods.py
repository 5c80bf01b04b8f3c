"""Every method of LSP that kifud offers, asked for by clients with the capabilities of real editors, on a record with
Chinese text, emoji and CRLF.

What is expected is read from the record: pieces of its text, and the board on paper. White's B5 (`ba`) is taken by the
move at C5 (`ca`); `zz` is off the board of 5x5; the komi has a comma.
"""

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, client_capabilities

from editor import SNAPSHOTS, URI, Editor, server, until
from fit import said
from strict import CONVERTER, Text, absolute

RECORD = (
    "(;GM[1]FF[4]CA[UTF-8]SZ[5]KM[6,5]PB[吴清源]PW[😀木谷]RE[B+R]EV[十番碁]\r\n"
    ";B[bb]C[😀黑棋先手，\r\n见 https://www.red-bean.com/sgf/ 。]SBKV[55.5];W[ba]\r\n"
    "(;B[aa]SBKV[61]N[紧气];W[de];B[ca]C[提子😀]TR[aa:bb])\r\n"
    "(;B[zz]C[坏点];W[cc]))\r\n"
)
MAIN = "(;B[aa]SBKV[61]N[紧气];W[de];B[ca]C[提子😀]TR[aa:bb])"
OTHER = "(;B[zz]C[坏点];W[cc])"
NODE = ";B[bb]C[😀黑棋先手，\r\n见 https://www.red-bean.com/sgf/ 。]SBKV[55.5]"

# What ALE says of itself, in short: a client that takes little.
MODEST = {
    "workspace": {"applyEdit": False},
    "textDocument": {
        "hover": {"contentFormat": ["plaintext"]},
        "completion": {"completionItem": {"snippetSupport": False}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": False},
        "definition": {"linkSupport": False},
        "publishDiagnostics": {"relatedInformation": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    },
}
# What there are tests for below; a new one needs one.
OFFERED = {
    f"{name}Provider"
    for name in (
        "hover completion definition references documentHighlight documentSymbol workspaceSymbol foldingRange "
        "selectionRange documentLink semanticTokens diagnostic documentFormatting documentRangeFormatting inlayHint "
        "codeLens codeAction"
    ).split()
}
OPTIONS = {"tabSize": 4, "insertSpaces": True}


class Reader(Editor):
    """Has the record open."""

    async def start(self, kind):
        capabilities = CONVERTER.structure(MODEST, types.ClientCapabilities)
        capabilities = capabilities if kind == "modest" else client_capabilities(kind)
        self.says = CONVERTER.unstructure(capabilities)
        offered = (await self.begin(capabilities))["capabilities"]
        assert {name for name in offered if name.endswith("Provider")} == OFFERED
        self.legend = offered["semanticTokensProvider"]["legend"]
        self.open(RECORD)

    def can(self, path):
        return bool(said(self.says, path))

    async def ask(self, method, **params):
        return await self.call(f"textDocument/{method}", textDocument={"uri": URI}, **params)

    async def findings(self):
        """(code, piece of the text) of what is wrong with the text as it is now, asked for or waited for."""
        if self.can("textDocument.diagnostic"):
            found = (await self.ask("diagnostic"))["items"]
        else:
            found = await until("findings of this version", lambda: self.published(self.version))
        return [(finding["code"], self.slice(finding["range"])) for finding in found]

    def published(self, version):
        sent = (m["params"] for m in self.wire if m.get("method") == "textDocument/publishDiagnostics")
        # Nothing found is something as well: a list that is not false.
        return next((Findings(one["diagnostics"]) for one in sent if one.get("version") == version), None)

    def changed(self, edits):
        """The text after some edits."""
        text = Text(self.text, self.units)
        for edit in sorted(edits, key=lambda edit: text.offset(edit["range"]["start"]), reverse=True):
            text = text.changed({"range": edit["range"], "text": edit["newText"]})
        return text.text

    async def actions(self, place, kind):
        asked = {"diagnostics": [], "only": [kind]}
        return await self.ask("codeAction", range=place, context=asked)

    async def chosen(self, actions, title):
        """The edits of an action, worked out now when they were not before."""
        (action,) = [action for action in actions if action["title"] == title]
        if "edit" not in action:
            action = await self.call("codeAction/resolve", **action)
        edit = action["edit"]
        if not (self.can("workspace.workspaceEdit.documentChanges") or self.can("workspace.workspaceEdit.resourceOperations")):
            return edit["changes"][URI]
        (change,) = edit["documentChanges"]
        assert change["textDocument"] == {"uri": URI, "version": self.version}
        return change["edits"]


class Findings(list):
    def __bool__(self):
        return True


@pytest_lsp.fixture(
    params=[*SNAPSHOTS, "modest"],
    config=ClientServerConfig(server_command=server(), client_factory=Reader),
)
async def editor(request, lsp_client: Reader):
    await lsp_client.start(request.param)
    yield
    try:
        await lsp_client.end()
    finally:
        if lsp_client._server.returncode is None:
            lsp_client._server.kill()


@pytest.mark.asyncio
async def test_hover(editor):
    hover = await editor.ask("hover", position=editor.place("B[ca]", 2))
    assert editor.slice(hover["range"]) == "[ca]"
    shown = hover["contents"]["value"]
    board = "   A B C D E\n 5 X .(X). . 5\n 4 . X . . . 4\n 3 . . . . . 3\n 2 . . . . . 2\n 1 . . . O . 1\n   A B C D E"
    if editor.can("textDocument.hover.contentFormat") and "markdown" in said(editor.says, "textDocument.hover.contentFormat"):
        assert hover["contents"]["kind"] == "markdown"
        assert shown.startswith(f"**Move 5: Black C5**, takes 1 stone\n\n```text\n{board}\n```\n")
    else:
        assert hover["contents"]["kind"] == "plaintext"
        assert shown.startswith(f"Move 5: Black C5, takes 1 stone\n\n{board}\n")
    assert shown.endswith("> 提子😀")
    assert "Captures: Black 1, White 0" in shown
    assert await editor.ask("hover", position=editor.place("坏点")) is None


@pytest.mark.asyncio
async def test_completion(editor):
    points = await editor.ask("completion", position=editor.place("W[cc]", 2))
    edits = {item["label"]: item["textEdit"] for item in points["items"]}
    stones = {"bb", "ba"}  # `zz` has put none
    assert edits.keys() == {x + y for x in "abcde" for y in "abcde"} - stones | {"pass"}
    assert editor.slice(edits["aa"]["range"]) == "cc" and edits["aa"]["newText"] == "aa"

    properties = await editor.ask("completion", position=editor.place("))\r\n"))
    items = {item["label"]: item for item in properties["items"]}
    assert {"C", "TR", "LB"} < items.keys()
    assert not {"SZ", "KM", "PB", "W"} & items.keys()  # of roots and game infos; one that is there
    comment = items["C"]
    if editor.can("textDocument.completion.completionItem.snippetSupport"):
        assert (comment["textEdit"]["newText"], comment["insertTextFormat"]) == ("C[$0]", 2)
    else:
        assert comment["textEdit"]["newText"] == "C[]" and comment.get("insertTextFormat", 1) == 1
    assert comment["detail"].startswith("comment")


@pytest.mark.asyncio
async def test_definition(editor):
    """From a mark to the stone on the point; from a variation to the node that it leaves."""
    linked = editor.can("textDocument.definition.linkSupport")
    for place, target in ((editor.place("aa:bb]", 3), "bb"), (editor.place(";B[zz"), "W[ba]")):
        (found,) = await editor.ask("definition", position=place)
        assert found["targetUri" if linked else "uri"] == URI
        shown = editor.slice(found["targetSelectionRange" if linked else "range"])
        assert target in shown and len(shown) <= len("W[ba]"), shown


@pytest.mark.asyncio
async def test_references_and_highlights(editor):
    found = await editor.ask("references", position=editor.place("ba]\r"), context={"includeDeclaration": True})
    assert [editor.slice(one["range"]) for one in found if one["uri"] == URI] == ["ba"]
    # The move that takes, and the stone that it takes: written and read.
    marks = await editor.ask("documentHighlight", position=editor.place("ca]C"))
    assert [(editor.slice(mark["range"]), mark["kind"]) for mark in marks] == [("ba", 2), ("ca", 3)]
    assert marks[0]["range"] == found[0]["range"]


@pytest.mark.asyncio
async def test_outline(editor):
    found = await editor.ask("documentSymbol")
    if editor.can("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"):
        (game,) = found
        parts = game["children"]
        assert game["detail"] == "B+R, 十番碁, moves 1–5"
        assert editor.slice(game["selectionRange"]) == "GM[1]"
        pieces = [editor.slice(part["range"]) for part in parts]
        assert editor.slice(game["range"]) == RECORD.removesuffix("\r\n")
    else:
        game, *parts = found
        pieces = [editor.slice(part["location"]["range"]) for part in parts]
        assert {part["containerName"] for part in parts} == {game["name"]}
    assert game["name"] == "吴清源 – 😀木谷"
    assert [part["name"] for part in parts] == ["紧气", "moves 3–4"]
    assert pieces == [";B[aa]SBKV[61]N[紧气]", OTHER]

    (player,) = await editor.call("workspace/symbol", query="木")
    assert (player["name"], player["containerName"]) == ("😀木谷", game["name"])
    assert editor.slice(player["location"]["range"]) == "😀木谷"
    assert await editor.call("workspace/symbol", query="秀策") == []


@pytest.mark.asyncio
async def test_folding_and_selection(editor):
    folds = await editor.ask("foldingRange")
    lines = [(fold["startLine"], fold["endLine"], fold["kind"]) for fold in folds]
    assert lines == [(0, 4, "region"), (1, 2, "region"), (1, 2, "comment")]

    (grown,) = await editor.ask("selectionRange", positions=[editor.place("ca]C")])
    pieces = []
    while grown:
        pieces.append(editor.slice(grown["range"]))
        grown = grown.get("parent")
    node = ";B[ca]C[提子😀]TR[aa:bb]"
    game = RECORD.removesuffix("\r\n")
    assert pieces == ["ca", "[ca]", "B[ca]", node, MAIN[1:-1], MAIN, game, RECORD]


@pytest.mark.asyncio
async def test_links(editor):
    (link,) = await editor.ask("documentLink")
    assert editor.slice(link["range"]) == link["target"] == "https://www.red-bean.com/sgf/"


@pytest.mark.asyncio
async def test_semantic_tokens(editor):
    def named(answer):
        for start, end, kind, bits in absolute(answer["data"]):
            assert start["line"] == end["line"]
            names = [name for bit, name in enumerate(editor.legend["tokenModifiers"]) if bits >> bit & 1]
            yield editor.slice({"start": start, "end": end}), editor.legend["tokenTypes"][kind], names

    whole = list(named(await editor.ask("semanticTokens/full")))
    assert whole[:2] == [("GM", "property", []), ("1", "number", [])]
    for piece in ("吴清源", "😀木谷", "😀黑棋先手，", "见 https://www.red-bean.com/sgf/ 。", "提子😀"):
        assert (piece, "string", []) in whole
    assert whole[-4:] == [
        ("C", "property", []), ("坏点", "string", []), ("W", "property", []), ("cc", "function", ["white"]),
    ]
    part = list(named(await editor.ask("semanticTokens/range", range=editor.around(";B[aa]"))))
    assert part == [("B", "property", []), ("aa", "function", ["static", "black"])]


@pytest.mark.asyncio
async def test_findings(editor):
    assert await editor.findings() == [("bad-number", "[6,5]"), ("off-board", "[zz]")]
    if editor.can("textDocument.diagnostic"):
        first = await editor.ask("diagnostic")
        again = await editor.ask("diagnostic", previousResultId=first["resultId"])
        assert again == {"kind": "unchanged", "resultId": first["resultId"]}

    # A keystroke behind emoji on its line, and one before the finding on the line above it.
    edit = lambda piece, text: CONVERTER.structure({"range": editor.around(piece), "newText": text}, types.TextEdit)
    editor.change([edit("提子😀", "😀😀提"), edit("zz", "cb")])
    assert await editor.findings() == [("bad-number", "[6,5]")]
    editor.change([edit("6,5", "6.5")])
    assert await editor.findings() == []
    editor.change([edit("cc", "yy")])
    assert await editor.findings() == [("off-board", "[yy]")]

    document = types.TextDocumentIdentifier(uri=URI)
    editor.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document))
    if editor.can("textDocument.diagnostic"):
        assert (await editor.ask("diagnostic"))["items"] == []
        assert not any(m.get("method") == "textDocument/publishDiagnostics" for m in editor.wire)
    else:
        assert await until("findings to be taken away", lambda: editor.published(None)) == []


@pytest.mark.asyncio
async def test_formatting(editor):
    """The root's properties line by line, a line for each variation and each node with a comment."""
    canonical = (
        "(;GM[1]\r\nFF[4]\r\nCA[UTF-8]\r\nSZ[5]\r\nKM[6,5]\r\nPB[吴清源]\r\nPW[😀木谷]\r\nRE[B+R]\r\nEV[十番碁]\r\n"
        f"{NODE}\r\n;W[ba]\r\n"
        "(;B[aa]SBKV[61]N[紧气];W[de]\r\n;B[ca]C[提子😀]TR[aa:bb])\r\n"
        "(;B[zz]C[坏点]\r\n;W[cc]))\r\n"
    )
    part = await editor.ask("rangeFormatting", range=editor.around(OTHER), options=OPTIONS)
    assert editor.changed(part) == RECORD.replace("];W[cc]", "]\r\n;W[cc]")
    edits = await editor.ask("formatting", options=OPTIONS)
    assert editor.changed(edits) == canonical
    editor.change([CONVERTER.structure(edit, types.TextEdit) for edit in edits])
    assert editor.text == canonical
    assert await editor.ask("formatting", options=OPTIONS) == []


@pytest.mark.asyncio
async def test_hints_and_lenses(editor):
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 6, "character": 0}}
    hints = await editor.ask("inlayHint", range=everything)
    ends = {"start": None, "end": {"line": 6, "character": 0}}
    behind = [(hint["label"], editor.slice({**ends, "start": hint["position"]})[:4]) for hint in hints]
    assert behind == [
        ("1", "B[bb"), ("55.5 %", "C[😀黑"), ("2", "W[ba"),
        ("3", "B[aa"), ("61.0 %", "SBKV"), ("4", "W[de"), ("5", "B[ca"), ("3", "B[zz"), ("4", "W[cc"),
    ]
    # None of these editors knows kifud's commands.
    assert await editor.ask("codeLens") == []


@pytest.mark.asyncio
async def test_actions(editor):
    async def made(place, kind, title):
        actions = await editor.actions(place, kind)
        assert all(action["kind"].startswith(kind) for action in actions)
        return editor.changed(await editor.chosen(actions, title))

    mended = RECORD.replace("6,5", "6.5")
    komi, mark = editor.around("6,5"), editor.around("aa:bb")
    assert await made(komi, "quickfix", "write a decimal point") == mended
    assert await made(mark, "source.fixAll", "Fix all that can be fixed safely") == mended
    swapped = RECORD.replace(MAIN, "\0").replace(OTHER, MAIN).replace("\0", OTHER)
    assert await made(editor.around(";B[zz"), "refactor.move", "Make this the main line") == swapped
    plain = RECORD.replace("TR[aa:bb]", "")
    assert await made(mark, "source", "Remove triangles from this node") == plain
    listed = RECORD.replace("TR[aa:bb]", "TR[aa][ba][ab][bb]")
    assert await made(mark, "refactor.rewrite", "Write the points one by one") == listed
    alone = await made(editor.around(";B[zz"), "refactor.extract", "Copy from here into a game of its own")
    assert alone.startswith(RECORD.removesuffix("\r\n")) and alone.count("(;GM[1]") == 2
    assert alone.rstrip().endswith("AB[bb]AW[ba]PL[B]\r\n;B[zz]C[坏点];W[cc])")

    (fix,) = await editor.actions(komi, "quickfix")
    assert [finding["code"] for finding in fix["diagnostics"]] == ["bad-number"]
    assert fix.get("isPreferred", False) == editor.can("textDocument.codeAction.isPreferredSupport")


@pytest_lsp.fixture(config=ClientServerConfig(server_command=server(), client_factory=Reader))
async def commander(lsp_client: Reader):
    capabilities = client_capabilities("visual_studio_code")
    capabilities.experimental = {"commands": {"commands": ["kifud.analyzeGame", "kifud.showVariations"]}}
    await lsp_client.begin(capabilities)
    lsp_client.open(RECORD)
    yield
    await lsp_client.end()


@pytest.mark.asyncio
async def test_lenses_of_known_commands(commander):
    lenses = await commander.ask("codeLens")
    shown = [(lens["command"]["command"], lens["command"]["arguments"][0]["node"]["path"]) for lens in lenses]
    assert shown == [("kifud.analyzeGame", []), ("kifud.showVariations", ["0*2"])]
    (about,) = lenses[1]["command"]["arguments"]
    assert (about["uri"], about["version"], len(about["children"])) == (URI, 1, 2)
