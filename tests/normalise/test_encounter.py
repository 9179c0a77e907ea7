"""What a page's language and address say about its market."""

from datetime import UTC, datetime

import pytest

from lamplighter.normalise.fields import PageContext


@pytest.mark.parametrize(
    ("url", "language", "main", "regions"),
    [
        pytest.param("https://a.example/", "en-US", "en", ("us",), id="by language"),
        pytest.param("https://shop.dk:8080/x", None, "", ("dk",), id="by host"),
        pytest.param("https://shop.ca/", "fr-CA", "fr", ("ca", "ca"), id="both"),
        pytest.param("https://a.example/", "zh-Hans", "zh", (), id="a script is no region"),
    ],
)
def test_market(url: str, language: str | None, main: str, regions: tuple[str, ...]) -> None:
    seen = PageContext(url, language, datetime(2026, 3, 2, tzinfo=UTC))

    assert (seen.main_language, seen.regions) == (main, regions)
