"""Which answers a client can take, by what it has said of itself in `initialize` (LSP 3.17, the rules stand with
each capability). Every function yields what does not fit, in words."""

MARKDOWN_IMAGE = "!["
LAST_OLD_SYMBOL = 18  # clients that name no kinds of symbols know those of LSP 1.0, up to Array
LAST_OLD_ITEM = 18  # and of completion items up to Reference


def said(capabilities, path, default=None):
    for key in path.split("."):
        capabilities = (capabilities or {}).get(key)
    return default if capabilities is None else capabilities


def answer(capabilities, method, result):
    """What does not fit in an answer to the client."""
    check = ANSWERS.get(method)
    return check(capabilities, result) if check and result else ()


def call(capabilities, method, params):
    """What does not fit in a message that the server begins."""
    if method in CALLS and not said(capabilities, CALLS[method]):
        yield f"{method} ({CALLS[method]})"
    if method == "textDocument/publishDiagnostics":
        yield from diagnostics(said(capabilities, "textDocument.publishDiagnostics"), params["diagnostics"])
    if method == "workspace/applyEdit":
        yield from edit(capabilities, params["edit"])
    if method == "client/registerCapability":
        for wish in params["registrations"]:
            if not said(capabilities, wish["method"].replace("/", ".") + ".dynamicRegistration"):
                yield f"{wish['method']} registered later"


CALLS = {
    "workspace/applyEdit": "workspace.applyEdit",
    "workspace/configuration": "workspace.configuration",
    "workspace/workspaceFolders": "workspace.workspaceFolders",
    "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
    "workspace/semanticTokens/refresh": "workspace.semanticTokens.refreshSupport",
    "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
    "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
    "window/workDoneProgress/create": "window.workDoneProgress",
    "window/showDocument": "window.showDocument.support",
}


def initialize(capabilities, result):
    units = said(result, "capabilities.positionEncoding", "utf-16")
    if units != "utf-16" and units not in said(capabilities, "general.positionEncodings", []):
        yield f"columns in {units}"


def hover(capabilities, result):
    formats = said(capabilities, "textDocument.hover.contentFormat", ["plaintext"])
    kind = result["contents"]["kind"]
    if kind not in formats:
        yield f"a hover in {kind}"
    if MARKDOWN_IMAGE in result["contents"]["value"] and not said(capabilities, "experimental.kifud.hoverImages"):
        yield "an image in a hover"


def completion(capabilities, result):
    able = lambda path, default=None: said(capabilities, f"textDocument.completion.{path}", default)
    kinds = able("completionItemKind.valueSet", range(1, LAST_OLD_ITEM + 1))
    if "itemDefaults" in result and not able("completionList.itemDefaults"):
        yield "itemDefaults"
    for item in result["items"]:
        if item.get("insertTextFormat") == 2 and not able("completionItem.snippetSupport"):
            yield "a snippet"
        if item.get("kind", 1) not in kinds:
            yield f"items of kind {item['kind']}"
        if "insert" in item.get("textEdit", ()) and not able("completionItem.insertReplaceSupport"):
            yield "an edit that inserts or replaces"
        if "labelDetails" in item and not able("completionItem.labelDetailsSupport"):
            yield "labelDetails"
        if isinstance(item.get("documentation"), dict):
            if item["documentation"]["kind"] not in able("completionItem.documentationFormat", ["plaintext"]):
                yield "documentation in this format"


def definition(capabilities, result):
    if isinstance(result, list) and "targetUri" in result[0]:
        if not said(capabilities, "textDocument.definition.linkSupport"):
            yield "a link as definition"


def symbols(capabilities, result):
    able = lambda path, default=None: said(capabilities, f"textDocument.documentSymbol.{path}", default)
    known = able("symbolKind.valueSet", range(1, LAST_OLD_SYMBOL + 1))
    if "selectionRange" in result[0] and not able("hierarchicalDocumentSymbolSupport"):
        yield "an outline as a tree"
    waiting = list(result)
    while waiting:
        symbol = waiting.pop()
        waiting.extend(symbol.get("children", ()))
        if symbol["kind"] not in known:
            yield f"symbols of kind {symbol['kind']}"


def workspace_symbols(capabilities, result):
    known = said(capabilities, "workspace.symbol.symbolKind.valueSet", range(1, LAST_OLD_SYMBOL + 1))
    for symbol in result:
        if symbol["kind"] not in known:
            yield f"symbols of kind {symbol['kind']}"


def links(capabilities, result):
    if any("tooltip" in link for link in result) and not said(capabilities, "textDocument.documentLink.tooltipSupport"):
        yield "a link's tooltip"


def diagnostics(able, found):
    able = able or {}
    for diagnostic in found:
        if "relatedInformation" in diagnostic and not able.get("relatedInformation"):
            yield "relatedInformation"
        if "codeDescription" in diagnostic and not able.get("codeDescriptionSupport"):
            yield "codeDescription"
        if "data" in diagnostic and not able.get("dataSupport"):
            yield "data of a diagnostic"
        if not set(diagnostic.get("tags", ())) <= set(said(able, "tagSupport.valueSet", ())):
            yield "tags of a diagnostic"


def pulled(capabilities, result):
    # Before LSP 3.18 a client says only of published ones what they may hold.
    able = {**said(capabilities, "textDocument.publishDiagnostics", {}), **said(capabilities, "textDocument.diagnostic", {})}
    yield from diagnostics(able, result.get("items", ()))


def edit(capabilities, result):
    able = lambda path: said(capabilities, f"workspace.workspaceEdit.{path}")
    if "documentChanges" in result and not (able("documentChanges") or able("resourceOperations")):
        yield "documentChanges"
    if "changeAnnotations" in result and not able("changeAnnotationSupport"):
        yield "changeAnnotations"


def actions(capabilities, result):
    for action in result:
        yield from code_action(capabilities, action)


def code_action(capabilities, action):
    able = lambda path, default=None: said(capabilities, f"textDocument.codeAction.{path}", default)
    if isinstance(action.get("command"), str):
        return
    if not able("codeActionLiteralSupport"):
        yield "an action that is no command"
    if "isPreferred" in action and not able("isPreferredSupport"):
        yield "isPreferred"
    if "disabled" in action and not able("disabledSupport"):
        yield "disabled"
    if "data" in action and not able("dataSupport"):
        yield "data of an action"
    if "edit" not in action and "command" not in action and "edit" not in able("resolveSupport.properties", ()):
        yield "an action without its edit"
    yield from edit(capabilities, action.get("edit", {}))
    yield from diagnostics(said(capabilities, "textDocument.publishDiagnostics"), action.get("diagnostics", ()))


def lenses(capabilities, result):
    known = said(capabilities, "experimental.commands.commands", [])
    for lens in result:
        if lens["command"]["command"] not in known:
            yield f"the command {lens['command']['command']}"


ANSWERS = {
    "initialize": initialize,
    "textDocument/hover": hover,
    "textDocument/completion": completion,
    "textDocument/definition": definition,
    "textDocument/documentSymbol": symbols,
    "workspace/symbol": workspace_symbols,
    "textDocument/documentLink": links,
    "textDocument/diagnostic": pulled,
    "textDocument/codeAction": actions,
    "codeAction/resolve": code_action,
    "textDocument/codeLens": lenses,
}
