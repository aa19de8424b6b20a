"""The language server: what an editor asks, and who answers."""

import asyncio
import math
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from .. import _core
from . import completion, files, hover, outline, repairs
from .document import Document
from .open_files import OpenFiles, Settings
from .text import Text


class Server(LanguageServer):
    """Its answers are about the texts in `files`. Changes come as whole texts."""

    def __init__(self):
        super().__init__("gradproof", _core.version, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.files = OpenFiles(self._publish, self._refresh_hints)

    def _publish(self, uri, version, found):
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=found))

    def _refresh_hints(self):
        """Verdicts are hints too."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    def text_of(self, uri: str) -> Text:
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        return Text(self.workspace.get_text_document(uri).source, getattr(encoding, "value", encoding))

    def document(self, uri: str) -> Document | None:
        return self.files.get(uri)

    @property
    def takes_versions(self) -> bool:
        """Whether the client takes edits that say for which version of a text they are."""
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)


def settings_of(options: Any) -> tuple[Settings, list[str]]:
    """The settings that an editor sends with initialize, and what of them is not understood."""
    settings, wrong = Settings(), []
    for key, name in (("timeLimit", "time_limit"), ("delay", "delay")):
        value = options.get(key) if isinstance(options, dict) else getattr(options, key, None)
        if value is None:
            continue
        if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value >= 0:
            setattr(settings, name, float(value))
        else:
            wrong.append(f"gradproof: {key} is {value!r}, expected seconds")
    return settings, wrong


def _follow_texts(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.files.settings, wrong = settings_of(params.initialization_options)
        for text in wrong:
            server.window_log_message(types.LogMessageParams(types.MessageType.Warning, text))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        kind = files.kind_of(document.uri, document.language_id)
        server.files.set(document.uri, kind, document.version, server.text_of(document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        if document := server.document(uri):
            server.files.set(uri, document.kind, params.text_document.version, server.text_of(uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.files.close(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    async def shutdown(_: None) -> None:
        server.files.end()


async def _of_now(server: Server, uri: str, answer: Any, otherwise: Any) -> Any:
    """What answer(document) gives, unless the text has changed meanwhile."""
    document = server.document(uri)
    if document is None:
        return otherwise
    try:
        found = await answer(document)
    except asyncio.CancelledError:
        if server.document(uri) is document:
            raise
        return otherwise
    return found if server.document(uri) is document else otherwise


def _answer(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def on_hover(params: types.HoverParams) -> types.Hover | None:
        return await _of_now(server, params.text_document.uri, lambda d: hover.hover(d, params.position), None)

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["∂", "\\", "∇", "/"], resolve_provider=False)
    )
    async def on_completion(params: types.CompletionParams) -> types.CompletionList | None:
        return await _of_now(server, params.text_document.uri, lambda d: completion.completion(d, params.position), None)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]))
    async def on_code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        only = params.context.only
        if only is not None and not any(types.CodeActionKind.QuickFix.value.startswith(str(k)) for k in only):
            return []
        as_changes = not server.takes_versions
        return await _of_now(server, params.text_document.uri, lambda d: repairs.code_actions(d, params.range, as_changes), [])

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def on_hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        return await _of_now(server, params.text_document.uri, lambda d: outline.inlay_hints(d, params.range), [])

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def on_symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return await _of_now(server, params.text_document.uri, outline.symbols, [])


def make() -> Server:
    """The server, ready to be started with start_io()."""
    server = Server()
    _follow_texts(server)
    _answer(server)
    return server
