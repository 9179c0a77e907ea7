"""E2: pages that nest deeper than their parser goes keep what they say."""

import time

import pytest

from lamplighter.extract.elements import parsed, shallow
from lamplighter.extract.html_page import parse_page

ROW = "<div class=row><span><a href=/{n}>Job {n}</a></span><p>Text <b>{n}</b></p>"
ROWS = "".join(ROW.format(n=n) for n in range(1_000))


def test_links_of_rows_that_nobody_closes_keep_their_texts() -> None:
    page = parse_page(ROWS, "https://a.example/")

    assert [node.text for node in page.anchors] == [f"Job {n}" for n in range(1_000)]
    assert [node.text for node in page.tree.find_all("p")] == [f"Text {n}" for n in range(1_000)]


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("", id="nothing"),
        pytest.param("<div>" * 300 + "</div>" * 300, id="deep, but not too deep"),
        pytest.param("<p>a<br>" * 2_000, id="paragraphs that nobody closes"),
        pytest.param("<div><span>a</span></div>" * 2_000, id="a long page"),
        pytest.param("<div><img><br><!-- a --><input></div>" * 2_000, id="a long page of pictures and fields"),
        pytest.param("<script>'" + "<div>" * 2_000 + "'</script>", id="tags in a script"),
        pytest.param("<!--" + "<div>" * 2_000, id="tags in a comment"),
    ],
)
def test_other_pages_stay_as_they_are(html: str) -> None:
    assert shallow(html) == html


def test_what_closes_an_element_that_was_left_out_closes_no_other() -> None:
    tree = parsed(shallow("<p>" + "<span>" * 1_000 + "<b>a</b></span>b" + "<div>" * 1_000))

    assert len(tree.find_all("span")) == 400
    assert list(tree.strings) == ["a", "b"]
    assert tree.select("span + div") == []


@pytest.mark.parametrize("piece", ["<", "<div", "<div>", "<!--", "<script>", "<b x='", "<div></", "<title "])
def test_e2_no_page_takes_long(piece: str) -> None:
    started = time.process_time()

    shallow(piece * 200_000)

    assert time.process_time() - started < 10
