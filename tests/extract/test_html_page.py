"""What the head of a page says about it."""

import pytest

from lamplighter.extract.directives import Directives
from lamplighter.extract.elements import select
from lamplighter.extract.html_page import HtmlPage, once_a_page, parse_page, take_visible_text

URL = "https://a.example/jobs/list"


def test_title_and_language_are_read() -> None:
    page = parse_page("<html lang=de><title> Zwei\n Stellen </title><svg><title>icon</title></svg>", URL)

    assert (page.title, page.language) == ("Zwei Stellen", "de")


@pytest.mark.parametrize(
    ("declared", "host", "language"),
    [
        pytest.param("en", "courts.state.example.gov", "en-US", id="of the United States"),
        pytest.param("EN", "a.example.co.uk:8080", "en-GB", id="of the United Kingdom, whatever the port"),
        pytest.param("en-GB", "a.example.gov", "en-GB", id="a page knows better"),
        pytest.param("es", "a.example.gov", "es", id="another language"),
        pytest.param("en", "a.example.io", "en", id="a domain in use everywhere"),
        pytest.param("", "a.example.gov", None, id="nothing declared"),
    ],
)
def test_english_of_no_country_is_that_of_the_host(declared: str, host: str, language: str | None) -> None:
    assert parse_page(f"<html lang='{declared}'><p>x", f"https://{host}/").language == language


def test_the_title_of_an_image_is_not_the_title_of_the_page() -> None:
    assert parse_page("<body><svg><title>icon</title></svg>", URL).title is None


def test_e3_base_moves_relative_links() -> None:
    page = parse_page("<base href='/other/'><link rel=canonical href='x'>", URL)

    assert page.base == "https://a.example/other/"
    assert page.canonical == "https://a.example/other/x"


def test_e3_a_canonical_on_another_host_is_ignored() -> None:
    assert parse_page("<link rel=canonical href='https://b.example/'>", URL).canonical is None


def test_feeds_are_announced_once_each() -> None:
    atom = "<link rel=alternate type=application/atom+xml href=/atom>"
    html = f"<link rel=alternate type=application/rss+xml href=/rss>{atom}{atom}<link rel=alternate href=/de>"

    assert parse_page(html, URL).feeds == ("https://a.example/rss", "https://a.example/atom")


def test_e4_meta_robots_speaks_to_all_and_to_us_but_not_for_others() -> None:
    html = "<meta name=ROBOTS content=noindex><meta name=otherbot content=nofollow>"

    assert parse_page(html, URL).directives == Directives(noindex=True)
    assert parse_page("<meta name=lamplighterbot content=none>", URL).directives == Directives(
        noindex=True, nofollow=True
    )


def test_scripts_in_the_page_are_told_apart() -> None:
    html = "<script src=/x></script><script>a</script><script type='Application/LD+JSON; charset=utf-8'>b</script>"

    page = parse_page(html, URL)

    assert [node.text for node in page.data_blocks] == ["b"]
    assert [node.text for node in page.scripts] == ["a"]


def test_every_meta_element_is_kept() -> None:
    page = parse_page("<meta charset=utf-8><meta name=a content=1><body><meta property=b content=2>", URL)

    assert len(page.metas) == 3


def test_visible_text_leaves_out_what_no_reader_sees() -> None:
    page = parse_page(
        "<body>a<script>b</script><style>c</style><noscript>d</noscript><template>e</template> <p>f\n g", URL
    )

    assert take_visible_text(page.tree) == "a f g"


def test_what_is_invisible_twice_is_left_out_once() -> None:
    page = parse_page("<body>a<noscript>b<noscript>c</noscript><style>d</style></noscript>e", URL)

    assert take_visible_text(page.tree) == "a e"


def test_an_impossible_selector_selects_nothing() -> None:
    page = parse_page("<p>", URL)

    assert select(page.tree, "a.b.0.c") == []
    assert select(page.tree, "\ud800") == []


def test_what_a_page_says_is_computed_once_for_each_page() -> None:
    asked: list[str | None] = []

    @once_a_page
    def name_of(page: HtmlPage) -> str | None:
        asked.append(page.title)
        return page.title

    pages = [parse_page(f"<title>{name}</title>", URL) for name in "ab"]

    assert [name_of(page) for page in pages * 2] == ["a", "b", "a", "b"]
    assert asked == ["a", "b"]
