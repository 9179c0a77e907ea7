"""E4: what a page asks of robots is honoured, and what it asks of other robots is not our business."""

import pytest

from lamplighter.extract.directives import Directives, from_header, from_meta

NEITHER = Directives()


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        pytest.param(None, NEITHER, id="no header"),
        pytest.param("noindex", Directives(noindex=True), id="noindex"),
        pytest.param("NoFollow , noarchive", Directives(nofollow=True), id="any case, among others"),
        pytest.param("none", Directives(noindex=True, nofollow=True), id="none means both"),
        pytest.param("otherbot: noindex, nofollow", NEITHER, id="another robot's whole line"),
        pytest.param("otherbot: noindex\nnofollow", Directives(nofollow=True), id="the next line is for all"),
        pytest.param("LamplighterBot: noindex", Directives(noindex=True), id="addressed to us"),
        pytest.param("otherbot: nofollow, lamplighterbot: noindex", Directives(noindex=True), id="two robots"),
        pytest.param("unavailable_after: 25 Jun 2027, noindex", Directives(noindex=True), id="a value is no robot"),
        pytest.param("max-snippet:20, all", NEITHER, id="nothing forbidden"),
    ],
)
def test_e4_header_directives(header: str | None, expected: Directives) -> None:
    assert from_header(header) == expected


def test_e4_the_strictest_word_of_several_tags_wins() -> None:
    assert from_meta(["index, follow", "nofollow"]) == Directives(nofollow=True)


def test_header_and_page_add_up() -> None:
    assert Directives(noindex=True) | Directives(nofollow=True) == Directives(noindex=True, nofollow=True)
