"""Pages as HTML that does nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import parse

from lamplighter.extract.teaching.harmless import harmless, without_loads
from lamplighter.extract.teaching.places import numbered

_ACTING = "script iframe frame object embed form input button select textarea link base svg math video audio template"
_BITS = [
    *("<svg>", "</svg>", "<math>", "<style>", "</style>", "<!--", "-->", "<script>", "</script>", "<noscript>", "<p>"),
    *("<img src=x onerror=hit()>", '<a href="javascript:hit()">', "<form action=/x>", "<textarea>", "<title>", "]]>"),
    *("<table>", "<mglyph>", "<mtext>", "<annotation-xml encoding=text/html>", "<select>", "<template>", "<b title='"),
    *("'>", '"', "<iframe srcdoc='<script>'>", "<meta http-equiv=refresh content=0>", "<plaintext>", "text", "<xmp>"),
]


@pytest.mark.parametrize(
    ("html", "gone"),
    [
        pytest.param("<script>hit()</script>", "hit", id="a script"),
        pytest.param("<p onclick=hit()>x", "hit", id="a handler"),
        pytest.param('<a href="javascript:hit()">x</a>', "hit", id="a link that runs"),
        pytest.param("<meta http-equiv=refresh content='0;url=/hit'>", "hit", id="a refresh"),
        pytest.param("<svg><script>hit()</script><a href=hit>x</a></svg>", "hit", id="a drawing"),
        pytest.param("<iframe srcdoc=hit></iframe><object data=hit></object><embed src=hit>", "hit", id="frames"),
        pytest.param("<form action=hit><input name=hit><button formaction=hit>x</button></form>", "hit", id="a form"),
        pytest.param("<img src=/hit.png srcset=hit>", "hit", id="a picture of the site"),
        pytest.param("<img src='data:image/svg+xml;base64,hit'>", "hit", id="a picture that is a document"),
        pytest.param("<link rel=stylesheet href=hit><base href=hit>", "hit", id="what the head loads"),
        pytest.param("<style>@import 'hit'; p { background: url(hit) }</style>", "hit", id="what styles load"),
        pytest.param("<p style='background: url(hit)'>x", "hit", id="what a style loads"),
        pytest.param("<p data-lamp=hit id=ok>x", "hit", id="a number of its own"),
    ],
)
def test_what_could_act_is_not_written(html: str, gone: str) -> None:
    assert gone not in harmless(numbered(html))


def test_styles_and_pictures_that_are_in_the_page_show() -> None:
    html = "<style>.job { color: red }</style><p class=job style='margin: 0'><img src='data:image/png;base64,iVBORw0='>"

    written = harmless(numbered(html))

    assert "<style>.job { color: red }</style>" in written
    assert 'style="margin: 0"' in written
    assert 'src="data:image/png;base64,iVBORw0="' in written
    assert "color: red" not in harmless(numbered(html), with_styles=False)


def test_every_element_has_the_number_by_which_it_is_known() -> None:
    page = numbered("<main><ul><li>one<li>two</ul></main>")

    written = parse(harmless(page)).select("li")

    assert [page.at(int(node.attr("data-lamp") or "")).text for node in written] == ["one", "two"]


def test_text_stays_text() -> None:
    assert "&lt;script&gt;hit()&lt;/script&gt;" in harmless(numbered("<p>&lt;script&gt;hit()&lt;/script&gt;"))


@given(st.lists(st.sampled_from(_BITS), max_size=12).map("".join))
def test_no_page_can_smuggle_in_what_acts(html: str) -> None:
    written = parse(harmless(numbered(html)))

    assert [node.tag for node in written.iter_elements() if node.tag in _ACTING.split()] == []
    allowed = {"href", "action", "srcdoc", "srcset", "formaction", "http-equiv"}
    names = {name for node in written.iter_elements() for name in node.attrs}
    assert not {name for name in names if name.startswith("on") or name in allowed}


@pytest.mark.parametrize(
    ("css", "left"),
    [
        pytest.param("a { background: URL( 'x)y' ) }", "a { background: none }", id="quoted"),
        pytest.param("a { background: url(data:image/png;base64,A) }", None, id="in the page"),
        pytest.param("@font-face { src: url(x) } b {}", " b {}", id="a font"),
    ],
)
def test_what_a_style_sheet_loads_is_left_out(css: str, left: str | None) -> None:
    assert without_loads(css) == (css if left is None else left)
