"""The checks of messages find what is wrong."""

import json

import pytest

import strict
from strict import Conversation, Text

ABLE = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
URI = "file:///a.sgf"
TEXT = "(;C[😀]\r\n;B[aa])"


def conversation(method, capabilities=ABLE):
    """One in which the client has a text open and waits for an answer to `method`."""
    talk = Conversation()
    talk.client({"id": 1, "method": "initialize", "params": {"capabilities": capabilities}})
    item = {"uri": URI, "languageId": "sgf", "version": 1, "text": TEXT}
    talk.client({"method": "textDocument/didOpen", "params": {"textDocument": item}})
    talk.client({"id": 2, "method": method, "params": {"textDocument": {"uri": URI}}})
    return talk


def at(line, start, end):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


def hover(**changes):
    return {"contents": {"kind": "plaintext", "value": "x"}, "range": at(1, 1, 6), **changes}


@pytest.mark.parametrize(
    "method, result, expected",
    [
        ("hover", hover(), ""),
        ("hover", None, ""),
        ("hover", hover(range=at(0, 4, 6)), ""),
        ("hover", hover(color="red"), "not in LSP: .result.color"),
        ("hover", hover(range=at(1, 1, 8)), "no such place"),
        ("hover", hover(range=at(0, 4, 5)), "no such place"),  # within the emoji
        ("hover", hover(range=at(2, 0, 0)), "no such place"),
        ("hover", hover(range=at("1", 1, 6)), "1"),
        ("hover", hover(range=at(-1, 1, 6)), "-1"),
        ("hover", hover(contents={"kind": "markdown", "value": "x"}), "a hover in markdown"),
        ("hover", hover(contents={"kind": "html", "value": "x"}), "html"),
        ("hover", {"range": at(1, 1, 6)}, "contents"),
        ("documentSymbol", [{"name": "a", "kind": 2, "range": at(1, 0, 6), "selectionRange": at(1, 0, 6)}], "a tree"),
        ("definition", [{"targetUri": URI, "targetRange": at(1, 0, 1), "targetSelectionRange": at(1, 0, 1)}], "a link"),
        ("completion", {"isIncomplete": False, "items": [{"label": "C", "insertTextFormat": 2}]}, "a snippet"),
        ("completion", {"isIncomplete": False, "items": [{"label": 5}]}, "5"),
        ("codeAction", [{"title": "a", "edit": {"documentChanges": []}}], "documentChanges"),
        ("semanticTokens/full", {"data": [1, 0, 9, 0, 0]}, "no such place"),
    ],
)
def test_answers(method, result, expected):
    talk = conversation(f"textDocument/{method}")
    talk.server({"jsonrpc": "2.0", "id": 2, "result": result})
    assert talk.checked == 1
    assert bool(talk.faults) == bool(expected) and expected in "".join(talk.faults)


@pytest.mark.parametrize(
    "message, expected",
    [
        ({"method": "window/logMessage", "params": {"type": 3, "message": "x"}}, ""),
        ({"method": "analysis/update", "params": {"anything": 1}}, ""),
        ({"method": "window/logMessage", "params": {"type": 30, "message": "x"}}, "30"),
        ({"method": "textDocument/unheardOf", "params": {}}, "unheardOf"),
        ({"method": "workspace/applyEdit", "id": 7, "params": {"edit": {"changes": {}}}}, "applyEdit"),
        ({"id": 99, "result": None}, "nobody has asked"),
        ({"id": 2, "error": {"code": -32603, "message": "x"}}, ""),
        ({"id": 2, "error": {"code": "bad", "message": "x"}}, "bad"),
    ],
)
def test_messages(message, expected):
    talk = conversation("textDocument/hover")
    talk.server({"jsonrpc": "2.0", **message})
    assert bool(talk.faults) == bool(expected) and expected in "".join(talk.faults)


def test_findings_are_held_against_their_version():
    talk = conversation("textDocument/hover")
    change = {"range": at(1, 3, 5), "text": ""}
    document = {"uri": URI, "version": 2}
    talk.client({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [change]}})
    for version in (1, 2):
        found = [{"range": at(1, 2, 6), "message": "x"}]
        params = {"uri": URI, "version": version, "diagnostics": found}
        talk.server({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params})
    (fault,) = talk.faults
    assert '"version": 2' in fault


def test_a_log_with_a_fault_fails(tmp_path, capsys):
    said = [
        {"from": "client", "message": {"id": 1, "method": "shutdown"}},
        {"from": "server", "message": {"jsonrpc": "2.0", "id": 1, "result": None}},
    ]
    for extra, status in ([], 0), ([{"from": "server", "fault": "ended within a message"}], 1), (said[1:], 1):
        log = tmp_path / "log"
        log.write_text("".join(json.dumps(entry) + "\n" for entry in said + extra))
        assert strict.main([str(log)]) == status
    assert capsys.readouterr().out.endswith("0 passed, 1 failed\n")
    assert strict.main([]) == 1


def test_columns():
    for units, width in ("utf-8", 4), ("utf-16", 2), ("utf-32", 1):
        text = Text(TEXT, units)
        assert text.has({"line": 0, "character": 4 + width + 1})
        assert not text.has({"line": 0, "character": 4 + width + 2})
        assert text.changed({"range": at(0, 4, 4 + width), "text": "棋"}).text == "(;C[棋]\r\n;B[aa])"
