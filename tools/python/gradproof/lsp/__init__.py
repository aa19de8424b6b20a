"""A language server for derivations: python -m gradproof.lsp speaks with an editor on its standard input and output."""
