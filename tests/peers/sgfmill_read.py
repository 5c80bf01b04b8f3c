"""Reads records with sgfmill: on each line of stdin a JSON string, the text; on each line of stdout
what sgfmill makes of it:

    {"games": [[{"children": 1, "values": {"B": ["dd"], "KM": null}}, ...], ...]}   or   {"error": "..."}

Nodes stand in the order of the text. Values are written in one form: points as two letters, lists in
order, numbers without trailing zeros, parts of composed values with U+001F between them; null for a
value that sgfmill refuses.
"""

import json
import sys

from sgfmill import sgf_grammar, sgf_properties

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
KNOWN = {name: kind for kind, names in {
    "stone": "B W",
    "points": "AB AE AW CR DD MA SL SQ TB TR TW VW",
    "pairs": "AR LN",
    "labels": "LB",
    "whole": "FF GM HA MN OB OW PM ST SZ",
    "real": "BL KM TM V WL",
    "double": "BM DM GB GW HO TE UC",
    "color": "PL",
    "none": "DO IT KO",
    "composed": "AP",
    "figure": "FG",
}.items() for name in names.split()}


def point(place, size):
    return "" if place is None else LETTERS[place[1]] + LETTERS[size - 1 - place[0]]


def number(value):
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def written(ident, raw, presenter):
    size = presenter.size
    if ident not in sgf_properties._property_types_by_ident:
        text = sgf_properties._property_types_by_name["text"]
        return [presenter.interpret_as_type(text, [value]) for value in raw]
    value = presenter.interpret(ident, raw)
    kind = KNOWN.get(ident, "text")
    if kind == "stone":
        return [point(value, size)]
    if kind == "points":
        return sorted(point(one, size) for one in value)
    if kind == "pairs":
        return sorted(point(one, size) + "\x1f" + point(two, size) for one, two in value)
    if kind == "labels":
        return sorted(point(one, size) + "\x1f" + text for one, text in value)
    if kind in ("whole", "double"):
        return [str(value)]
    if kind == "real":
        return [number(value)]
    if kind == "color":
        return [value.upper()]
    if kind == "none":
        return [""]
    if kind == "composed":
        return ["\x1f".join(value)]
    if kind == "figure":
        return ["" if value is None else "%d\x1f%s" % value]
    return [value]


def node(properties, children, presenter):
    values = {}
    for ident, raw in properties.items():
        try:
            values[ident] = written(ident, raw, presenter)
        except ValueError:
            values[ident] = None
    return {"children": children, "values": values}


def game(tree):
    size = int(tree.sequence[0].get("SZ", [b"19"])[0])
    if not 1 <= size <= 26:
        raise ValueError("size out of range: %s" % size)
    presenter = sgf_properties.Presenter(size, "UTF-8")
    nodes = []
    waiting = [tree]
    while waiting:
        tree = waiting.pop()
        for properties in tree.sequence[:-1]:
            nodes.append(node(properties, 1, presenter))
        nodes.append(node(tree.sequence[-1], len(tree.children), presenter))
        waiting.extend(reversed(tree.children))
    return nodes


for line in sys.stdin:
    try:
        trees = sgf_grammar.parse_sgf_collection(json.loads(line).encode("utf-8"))
        answer = {"games": [game(tree) for tree in trees]}
    except ValueError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
