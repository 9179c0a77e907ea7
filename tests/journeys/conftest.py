"""An installation over each kind of database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.installation import Installation, running


@pytest.fixture
async def installation(tmp_path: Path, migrated_url: str) -> AsyncIterator[Installation]:
    """A service that makes its rounds, and may ask sites on loopback."""
    async with running(tmp_path, migrated_url) as opened:
        yield opened
