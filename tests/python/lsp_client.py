"""A client of the language server for the tests, which opens texts, waits for verdicts and applies edits, and some texts."""

import asyncio
import itertools
import sys

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

COMMAND = [sys.executable, "-m", "gradproof.lsp"]
PATIENCE = 60  # seconds, on a machine that does other work too
_numbers = itertools.count()
HEAD = """title "Attention"
dims n m d
input Q [n, d], K [m, d]
forward
  S = Q K^T / sqrt(d)
  A = softmax(S)
claim
"""
WRONG = HEAD + "  dS = A ⊙ (dA - rowsum(dA ⊙ A))\n  dQ = dS K\n"
LATEX = r"""% gradproof: dims n m d; input Q [n, d], K [m, d]
\begin{align}
S &= Q K^\top / \sqrt{d} \\
\nabla_Q L &= \frac{\partial L}{\partial S} K  \label{q} \\
\nabla_K L &= \Bigl(\frac{\partial L}{\partial S}\Bigr)^\top Q / \sqrt{d}
\end{align}
"""


class Client(LanguageClient):
    """Keeps what was published, in its order."""

    def __init__(self):
        super().__init__(converter_factory=default_converter)
        self.published, self._more = [], asyncio.Event()
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self._take(params))
        self.feature(types.WINDOW_LOG_MESSAGE)(lambda params: self.log_messages.append(params))
        self.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(lambda _: None)

    def _take(self, params):
        self.published.append(params)
        self._more.set()

    async def next(self, is_meant):
        """The first that was published and not taken yet, of those that are meant."""
        while True:
            if found := next((p for p in self.published if is_meant(p)), None):
                self.published.remove(found)
                return list(found.diagnostics)
            self._more.clear()
            await asyncio.wait_for(self._more.wait(), PATIENCE)


async def start(options=None, encodings=("utf-16",), editor="visual-studio-code", edit_versions=True):
    """A client whose server is running and initialized."""
    client = await ClientServerConfig(server_command=COMMAND, client_factory=Client).start()
    capabilities = client_capabilities(editor)
    if not edit_versions:
        capabilities.workspace.workspace_edit = None
    capabilities.general = types.GeneralClientCapabilities(position_encodings=list(encodings))
    options = {"delay": 0.02, "timeLimit": 600, **(options or {})}
    client.found = await client.initialize_session(
        types.InitializeParams(capabilities=capabilities, initialization_options=options)
    )
    return client


async def stop(client):
    await client.shutdown_session()
    await client.stop()


class File:
    """A text that is open in the client."""

    def __init__(self, client, text, ending=".proof", language="", uri=None):
        self.client, self.text, self.version = client, text, 0
        self.uri = uri or f"file:///nowhere/text{next(_numbers)}{ending}"
        self.language = language
        self.id = types.TextDocumentIdentifier(self.uri)

    def open(self):
        item = types.TextDocumentItem(self.uri, self.language, self.version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return self

    def change(self, text):
        self.text, self.version = text, self.version + 1
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [whole]))

    def close(self):
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.id))

    async def verdicts(self, uri=None):
        """The diagnostics of this version of the text, once they are there."""
        return await self.client.next(lambda p: p.uri == (uri or self.uri) and (uri or p.version == self.version))

    def position(self, of, by=0):
        """Where a part of the text first stands, in units of UTF-16."""
        before = self.text[: self.text.index(of) + by]
        line = before.rpartition("\n")[2]
        return types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)

    def range(self, of):
        return types.Range(self.position(of), self.position(of, len(of)))

    async def hover(self, of, by=0):
        """What is told at the place of this part; "" for nothing."""
        found = await self.client.text_document_hover_async(types.HoverParams(self.id, self.position(of, by)))
        return found.contents.value if found else ""

    async def fixes(self, where, only=None):
        params = types.CodeActionParams(self.id, where, types.CodeActionContext([], only))
        return list(await self.client.text_document_code_action_async(params))

    async def hints(self):
        """What each hint says, by the text of its line before it."""
        everything = types.Range(types.Position(0, 0), types.Position(2**31 - 1, 0))
        found = await self.client.text_document_inlay_hint_async(types.InlayHintParams(self.id, everything))
        lines = self.text.split("\n")
        return {lines[h.position.line][: h.position.character].strip(): h.label for h in found}

    async def complete(self, position):
        found = await self.client.text_document_completion_async(types.CompletionParams(self.id, position))
        return list(found.items)

    async def symbols(self):
        return list(await self.client.text_document_document_symbol_async(types.DocumentSymbolParams(self.id)))

    def with_edit(self, edit):
        """The text after an edit of the server, whose columns are units of UTF-16."""
        lines = self.text.split("\n")

        def index(position):
            line = lines[position.line].encode("utf-16-le")[: 2 * position.character].decode("utf-16-le")
            return sum(len(text) + 1 for text in lines[: position.line]) + len(line)

        return self.text[: index(edit.range.start)] + edit.new_text + self.text[index(edit.range.end) :]
