"""Authors and dates as pages show them."""

import pytest

from lamplighter.extract.html_page import HtmlPage, parse_page
from lamplighter.extract.single.byline import GUESSED, author_of, dates_of, said_date
from lamplighter.extract.single.headings import main_heading
from lamplighter.extract.single.text_lines import lines_of


def page_of(body: str, url: str = "https://a.example/n/1") -> HtmlPage:
    return parse_page(f"<body><h1>A pier</h1>{body}<p>It was a long story about a pier.</p></body>", url)


def author(body: str) -> object:
    page = page_of(body)
    found = author_of(page, lines_of(page), main_heading(page))
    return found.value if found else None


def dates(body: str, url: str = "https://a.example/n/1") -> dict[str, object]:
    page = page_of(body, url)
    return {name: found.value for name, found in dates_of(page, lines_of(page), main_heading(page)).items()}


@pytest.mark.parametrize(
    "body",
    [
        "<p>By Jane Doe</p>",
        "<p>by Jane Doe | 4 March 2026</p>",
        "<p>Von Jane Doe</p>",
        "<p>Par Jane Doe</p>",
        "<p>Por Jane Doe</p>",
        "<p>Автор: Jane Doe</p>",
        "<p>作者\uff1aJane Doe</p>",
        "<a rel=author href=/jd>Jane Doe</a>",
        "<span itemprop=author>Jane Doe</span>",
        "<div class='article__byline'>By Jane Doe</div>",
        "<p class=author>Posted by Jane Doe on 4 March 2026</p>",
        "<h1>News</h1><p>Muhabir: Jane Doe</p>",
        "<div class=byline><a href=/jd>Jane Doe</a><div>4 March 2026</div><a>48</a><a>Share</a></div>",
        "<div><a href='/autores/jane-doe'>Jane Doe</a><span>4 March 2026</span></div>",
        "<div>By <a href=/jd>Jane Doe</a> · January 29, 2026 · 14 min read</div>",
        "<p><span>2026-03-02</span><span>来源\uff1a日报</span><span>作者\uff1aJane Doe</span></p>",
        "<p>发布时间\uff1a2026-03-02 作者\uff1aJane Doe 编辑\uff1aX Y</p>",
    ],
)
def test_an_author_is_found(body: str) -> None:
    assert author(body) == "Jane Doe"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("", id="nothing"),
        pytest.param("<p>By and by the tide came in and took it.</p>", id="a sentence"),
        pytest.param("<p class=author>12 posts</p>", id="a tally"),
        pytest.param("<blockquote><span class=author>Jane Doe</span></blockquote>", id="somebody quoted"),
        pytest.param("<div class=testimonial><b class=author>Jane Doe</b></div>", id="a customer"),
        pytest.param("<p>By 2030 all piers will be gone</p>", id="a year"),
    ],
)
def test_what_is_no_author_is_left_alone(body: str) -> None:
    assert author(body) is None


def test_a_name_far_from_the_heading_is_a_guess() -> None:
    page = page_of("<p>It fell.</p>" * 12 + "<p class=about-author>Jane Doe</p>")

    found = author_of(page, lines_of(page), main_heading(page))

    assert found is not None
    assert (found.value, found.confidence) == ("Jane Doe", GUESSED)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<time datetime='2026-03-04T09:00:00Z'>today</time>", {"published_at": "2026-03-04T09:00:00Z"}),
        ("<p>4 March 2026</p>", {"published_at": "4 March 2026"}),
        ("<p>Published on March 4, 2026 in News</p>", {"published_at": "March 4, 2026"}),
        ("<p>Veröffentlicht am 4.3.2026</p>", {"published_at": "4.3.2026"}),
        ("<p>发布时间 2026年3月4日</p>", {"published_at": "2026年3月4日"}),
        ("<p>Last updated: 5 March 2026</p>", {"updated_at": "5 March 2026"}),
        ("<p>Updated <time datetime='2026-03-05'></time></p>", {"updated_at": "2026-03-05"}),
        (
            "<div>By <a href=/jd>Jane Doe</a> · January 29, 2026 · 14 min read</div>",
            {"published_at": "January 29, 2026"},
        ),
        ("<p>By Jane Doe, 4 March 2026</p>", {"published_at": "4 March 2026"}),
        (
            "<p>Published 4 March 2026 | Updated 5 March 2026</p>",
            {"published_at": "4 March 2026", "updated_at": "5 March 2026"},
        ),
        (
            "<time class=published datetime=2026-03-04></time><time class=updated datetime=2026-03-05></time>",
            {"published_at": "2026-03-04", "updated_at": "2026-03-05"},
        ),
        ("<p>Pressemitteilung Nr. 58 vom 4.3.2026</p>", {"published_at": "4.3.2026"}),
        ("<p>Publicado el 4 de marzo de 2026</p>", {"published_at": "4 de marzo de 2026"}),
        ("<p>4 March 2026</p><div><a href=/b>Other</a><time>5 March</time></div>", {"published_at": "4 March 2026"}),
        ("<p>Stand: 5.3.2026</p>", {"updated_at": "5.3.2026"}),
        ("<p>Closing date: 5 March 2026</p>", {}),
        ("<p><b>Deadline:</b> 5 March 2026</p>", {}),
        ("<dl><dt>Deadline</dt><dd>5 March 2026</dd></dl>", {}),
        ("<p>Location: Bern | Deadline: 5 March 2026</p>", {}),
        (f"<p>GENEVA, 4 March 2026 – {'The pier was closed by the storm. ' * 4}</p>", {"published_at": "4 March 2026"}),
        (f"<p>On 4 March 2026 the pier fell. {'Nobody was there to see it. ' * 4}</p>", {}),
        ("<ul><li><time datetime='2026-03-05'>x</time></li></ul>", {}),
        ("<article><h2>Other</h2><time datetime='2026-03-05'></time></article>", {}),
        ("<p>In the winter of 4 March 2024 it was, people say, that the old pier was lost to the sea.</p>", {}),
    ],
)
def test_dates_are_those_of_the_page_itself(body: str, expected: dict[str, str]) -> None:
    assert dates(body) == expected


def test_what_stands_outside_the_article_of_the_heading_is_not_its_own() -> None:
    html = (
        "<body><article><h1>A pier</h1><p>It was long.</p><footer><b class=author>Jane Doe</b></footer></article>"
        "<div><a href=/b>Top post</a> <i class=author>Bram Stone</i> <time>5 March 2026</time></div></body>"
    )
    page = parse_page(html, "https://a.example/n/1")
    lines = [line for line in lines_of(page) if "Top post" not in line.text]

    found = author_of(page, lines, main_heading(page))

    assert found is not None
    assert found.value == "Jane Doe"
    assert dates_of(page, lines, main_heading(page)) == {}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>Publicado el 4 de marzo de 2026</p>", "4 de marzo de 2026"),
        ("<p>Posted on 4 March 2026 | Closing date: 9 May 2026</p>", "4 March 2026"),
        ("<p>4 March 2026</p>", None),
        ("<p>Closing date 4 March 2026</p>", None),
        ("<p>Last updated 4 March 2026</p>", None),
    ],
)
def test_a_date_is_that_of_publication_where_a_word_says_so(body: str, expected: str | None) -> None:
    page = page_of(body)

    assert said_date(lines_of(page), main_heading(page)) == expected


def test_a_date_in_the_address_is_the_last_resort() -> None:
    url = "https://a.example/2025/12/31/pier"

    assert dates("", url) == {"published_at": "2025-12-31"}
    assert dates("<p>1 January 2026</p>", url) == {"published_at": "1 January 2026"}
