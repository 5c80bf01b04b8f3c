"""What a server may say: LSP's types to the letter, places that are in the text, and only what its client can take.

    python strict.py LOG...

checks conversations that tests/editors/tee.py has written down.
"""

import copy
import json
import re
import sys

from lsprotocol import types
from lsprotocol.converters import get_converter

import fit

CONVERTER = get_converter()
OWN = re.compile(r"(analysis|document|engine|events|game|kifud|record|review|xiangqi)/")


def decoded(message, kind):
    """A message as lsprotocol has it; raises when a field is missing, unknown or of another type."""
    value = CONVERTER.structure(copy.deepcopy(message), kind)
    # The converter skips what it does not know and turns "5" into 5: what comes out must be what came in.
    again = json.loads(json.dumps(CONVERTER.unstructure(value)))
    for which, left, right in (("not in LSP", message, again), ("missing", again, message)):
        if rest := difference(left, right):
            raise ValueError(f"{which}: {rest}")
    return value


def difference(left, right, place=""):
    """Where `left` has something that `right` has not, or has otherwise."""
    if isinstance(left, dict) and isinstance(right, dict):
        pairs = ((f"{place}.{key}", left[key], right[key]) for key in left if key in right)
        alone = [f"{place}.{key}" for key in left if key not in right]
        return (alone and alone[0]) or next(filter(None, (difference(l, r, at) for at, l, r in pairs)), "")
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = ((f"{place}[{index}]", l, r) for index, (l, r) in enumerate(zip(left, right)))
        return next(filter(None, (difference(l, r, at) for at, l, r in pairs)), "")
    same = type(left) is type(right) and left == right
    return "" if same else f"{place} is {json.dumps(left, ensure_ascii=False)[:80]}"


class Text:
    """A text as LSP counts it."""

    def __init__(self, text, units):
        self.text, self.units = text, units
        self.lines = re.split(r"\r\n|\n|\r", text)

    def width(self, piece):
        if self.units == "utf-32":
            return len(piece)
        return len(piece.encode("utf-8")) if self.units == "utf-8" else len(piece.encode("utf-16-le")) // 2

    def column(self, line, character):
        """How many characters are before a place of a line; nothing for a place within one, or behind the end."""
        widths = (self.width(line[:count]) for count in range(len(line) + 1))
        return next((count for count, width in enumerate(widths) if width == character), None)

    def has(self, place):
        line, character = place["line"], place["character"]
        return line < len(self.lines) and self.column(self.lines[line], character) is not None

    def offset(self, place):
        starts = [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", self.text))]
        line = min(place["line"], len(starts) - 1)
        return starts[line] + (self.column(self.lines[line], place["character"]) or 0)

    def changed(self, change):
        if "range" not in change:
            return Text(change["text"], self.units)
        start, end = self.offset(change["range"]["start"]), self.offset(change["range"]["end"])
        return Text(self.text[:start] + change["text"] + self.text[end:], self.units)


def places(value):
    """All positions in an answer, however deep."""
    if isinstance(value, dict):
        if value.keys() == {"line", "character"}:
            yield value
        else:
            for part in value.values():
                yield from places(part)
    elif isinstance(value, list):
        for part in value:
            yield from places(part)


def absolute(data):
    """Semantic tokens as (position, position behind it, type, modifiers)."""
    line = character = 0
    for step, along, length, kind, modifiers in zip(*[iter(data)] * 5):
        line, character = line + step, along if step else character + along
        yield {"line": line, "character": character}, {"line": line, "character": character + length}, kind, modifiers


def reasons(fault):
    """The faults in a group, however deep."""
    if isinstance(fault, BaseExceptionGroup):
        for inner in fault.exceptions:
            yield from reasons(inner)
    else:
        yield f"{type(fault).__name__}: {fault}"


class Conversation:
    """Follows both sides and collects what is wrong with the server's."""

    def __init__(self):
        self.capabilities, self.units = {}, "utf-16"
        self.asked, self.texts, self.faults, self.checked = {}, {}, [], 0

    # ---- the client: nothing is checked, all is remembered

    def client(self, message):
        method, params = message.get("method"), message.get("params") or {}
        document = params.get("textDocument") if isinstance(params, dict) else None
        uri = document.get("uri") if isinstance(document, dict) else None
        if method == "textDocument/didOpen":
            self.texts[uri] = {document["version"]: Text(document["text"], self.units)}
        elif method == "textDocument/didChange":
            text = self.newest(uri)
            for change in params["contentChanges"]:
                text = text.changed(change)
            self.texts[uri][document["version"]] = text
        elif method and "id" in message:
            self.asked[message["id"]] = (method, params, self.newest(uri))
            if method == "initialize":
                self.capabilities = params["capabilities"]

    def newest(self, uri):
        versions = self.texts.get(uri)
        return versions[max(versions)] if versions else None

    # ---- the server: everything is checked

    def server(self, message):
        self.checked += 1
        try:
            self.check(message)
        except Exception as fault:  # lsprotocol raises many kinds
            words = json.dumps(message, ensure_ascii=False)[:200]
            self.faults.append(f"{'; '.join(reasons(fault))} in {words}")

    def check(self, message):
        if message.get("jsonrpc") != "2.0":
            raise ValueError("jsonrpc is not 2.0")
        if "method" in message:
            self.check_call(message, message["method"], message.get("params"))
        elif "error" in message:
            self.asked.pop(message["id"], None)
            decoded(message, types.ResponseErrorMessage)
        elif message["id"] not in self.asked:
            raise ValueError("nobody has asked for this")
        else:
            self.check_answer(message, *self.asked.pop(message["id"]))

    def check_call(self, message, method, params):
        if OWN.match(method):
            return
        decoded(message, types.METHOD_TO_TYPES[method][0])
        self.complain(fit.call(self.capabilities, method, params))
        if method == "textDocument/publishDiagnostics" and params.get("version") is not None:
            self.inside(self.texts.get(params["uri"], {}).get(params["version"]), params["diagnostics"])

    def check_answer(self, message, method, params, text):
        if OWN.match(method):
            return
        decoded(message, types.METHOD_TO_TYPES[method][1])
        result = message["result"]
        if method == "initialize":
            self.units = result["capabilities"].get("positionEncoding", "utf-16")
        self.complain(fit.answer(self.capabilities, method, result))
        self.inside(text, result)
        if method.startswith("textDocument/semanticTokens") and result:
            for start, end, _, _ in absolute(result["data"]):
                self.inside(text, [start, end])

    @staticmethod
    def inside(text, value):
        for place in places(value) if text else ():
            if not text.has(place):
                raise ValueError(f"no such place in the text: {place}")

    @staticmethod
    def complain(faults):
        if faults := list(faults):
            raise ValueError("the client cannot take " + ", ".join(faults))


def follow(path):
    conversation = Conversation()
    with open(path, encoding="utf-8") as log:
        for entry in map(json.loads, log):
            if "fault" in entry:
                conversation.faults.append(f"{entry['from']}: {entry['fault']}")
            elif entry["from"] == "client":
                conversation.client(entry["message"])
            else:
                conversation.server(entry["message"])
    return conversation


def main(paths):
    failed = 0
    for path in paths:
        conversation = follow(path)
        fine = conversation.checked > 0 and not conversation.faults
        failed += not fine
        print(f"{'ok' if fine else 'NOT OK'} {conversation.checked} messages of the server are LSP to the letter")
        for fault in conversation.faults:
            print("  ", fault)
    print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
