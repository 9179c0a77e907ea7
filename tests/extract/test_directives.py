"""E4: what a page asks of robots is honoured, and what it asks of other robots is not our business."""

import pytest

from lamplighter.extract.directives import from_header, from_meta
from lamplighter.model.reading import Directives

NEITHER = Directives()


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        pytest.param(None, NEITHER, id="no header"),
        pytest.param("noindex", Directives(noindex=True), id="noindex"),
        pytest.param("NoFollow , noarchive", Directives(nofollow=True, noarchive=True), id="any case"),
        pytest.param("none", Directives(noindex=True, nofollow=True), id="none means both"),
        pytest.param("otherbot: noindex, nofollow", NEITHER, id="another robot's whole line"),
        pytest.param("otherbot: noindex\nnofollow", Directives(nofollow=True), id="the next line is for all"),
        pytest.param("LamplighterBot: noindex", Directives(noindex=True), id="addressed to us"),
        pytest.param("otherbot: nofollow, lamplighterbot: noindex", Directives(noindex=True), id="two robots"),
        pytest.param(
            "unavailable_after: 25 Jun 2027, noindex",
            Directives(noindex=True, unavailable_after="25 Jun 2027"),
            id="a value is no robot",
        ),
        pytest.param(
            "unavailable_after: Friday, 25-Jun-27 15:00:00 GMT",
            Directives(unavailable_after="Friday 25-Jun-27 15:00:00 GMT"),
            id="a comma within a date",
        ),
        pytest.param("max-snippet:20, all", Directives(max_snippet=20), id="a short snippet"),
        pytest.param("max-snippet: -1", NEITHER, id="a snippet of any length"),
        pytest.param("max-snippet:20, nosnippet", Directives(max_snippet=0), id="no snippet at all"),
        pytest.param("googlebot: nosnippet, noarchive", NEITHER, id="another robot's limits"),
        pytest.param("max-image-preview:large, max-snippet:many", NEITHER, id="nothing forbidden"),
    ],
)
def test_e4_header_directives(header: str | None, expected: Directives) -> None:
    assert from_header(header) == expected


def test_e4_the_strictest_word_of_several_tags_wins() -> None:
    assert from_meta(["index, follow", "nofollow"]) == Directives(nofollow=True)


def test_header_and_page_add_up() -> None:
    assert Directives(noindex=True) | Directives(nofollow=True) == Directives(noindex=True, nofollow=True)


def test_of_two_snippet_lengths_the_shorter_counts() -> None:
    assert (Directives(max_snippet=30) | Directives(max_snippet=9) | Directives()).max_snippet == 9
