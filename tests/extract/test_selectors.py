"""J7: selectors of recipes find what CSS says, whichever parser is asked."""

import pytest

from lamplighter.extract.elements import is_selector, parsed, select

PAGE = parsed(
    "<ul id=u><li class=a><a href=/1>One</a></li><li title='a]b'> </li></ul>"
    "<input id=i placeholder=q><p title=':blank'>x</p>"
)


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        pytest.param("a[href", ["a"], id="a bracket that the end closes"),
        pytest.param("a[href='/1", ["a"], id="a quote that the end closes"),
        pytest.param("li:not(.a", ["li"], id="a parenthesis that the end closes"),
        pytest.param("li:has(a[href", ["li"], id="several of them"),
        pytest.param("li:blank", ["li"], id="blank"),
        pytest.param("LI:BLANK", ["li"], id="in capitals"),
        pytest.param("p[title=':blank']", ["p"], id="a word in a value"),
        pytest.param("li[title='a]b']", ["li"], id="a bracket in a value"),
        pytest.param(":placeholder-shown", ["input"], id="placeholder-shown"),
        pytest.param("a\0", [], id="a letter that none has"),
    ],
)
def test_what_css_allows_is_understood(selector: str, found: list[str]) -> None:
    assert is_selector(selector)
    assert [node.tag for node in select(PAGE, selector)] == found


@pytest.mark.parametrize("selector", ["div[", "h2 >", "//a", "a,", "a:foo", "a::text", "", "\ud800", "a[href=/1]"])
def test_what_is_no_selector_finds_nothing(selector: str) -> None:
    assert not is_selector(selector)
    assert select(PAGE, selector) == []


def test_an_element_may_be_what_is_looked_for_in_it() -> None:
    (link,) = select(PAGE, "a")

    assert select(link, "a[href]") == [link]
    assert select(link, "li a") == [link]
    assert select(PAGE.find_all("ul")[0], "li")[0].tag == "li"
