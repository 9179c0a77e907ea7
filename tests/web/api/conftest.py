"""The API over each kind of database."""

from pathlib import Path

import pytest

from lamplighter.settings import Settings, load
from lamplighter.web.api import event_stream


@pytest.fixture(autouse=True)
def streams_look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams look for news every second, which is long for a test."""
    monkeypatch.setattr(event_stream, "POLL_SECONDS", 0.05)


@pytest.fixture
def settings(tmp_path: Path, migrated_url: str) -> Settings:
    """An installation on a developer's machine, with an empty database of each kind; loopback sites may be asked."""
    return load({}, data_dir=tmp_path, database_url=migrated_url, allow_hosts="127.0.0.0/8", min_delay_ms=0)
