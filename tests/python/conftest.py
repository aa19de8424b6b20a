"""Fixtures of the tests of the language server."""

import pytest

try:
    import pytest_asyncio
    from lsp_client import File, start, stop
except ImportError:  # without its packages these tests are skipped
    pass
else:

    @pytest_asyncio.fixture
    async def client():
        client = await start()
        yield client
        await stop(client)

    @pytest.fixture
    def opened(client):
        return lambda text, ending=".proof", **how: File(client, text, ending, **how).open()
