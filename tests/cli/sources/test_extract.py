"""What does a page say? From files and from sites, keeping nothing."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Lamplighter, job_page
from tests.origin import ThreadedOrigin

KEYS = ["input", "url", "kind", "method", "records", "links", "next_page", "feeds", "article"]


def test_a_file_is_read_as_if_it_came_from_the_given_place(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(job_page("Harbour pilot").replace("<h1>", '<a href="/jobs">all</a><h1>'))

    answer = lamplighter("extract", file, "--base-url", "https://quay.example/jobs/1", "--json")

    assert answer.code == 0
    assert list(answer.json) == KEYS
    assert (answer.json["input"], answer.json["url"]) == (str(file), "https://quay.example/jobs/1")
    assert (answer.json["kind"], answer.json["method"]) == ("job", "jsonld")
    assert answer.json["links"] == ["https://quay.example/jobs"]
    assert answer.json["records"][0]["title"] == "Harbour pilot"


def test_a_file_may_be_called_by_bytes_that_are_no_text(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "a\udcff.html"
    file.write_text(job_page("Harbour pilot"))

    answer = lamplighter("extract", file, "--json")

    assert answer.code == 0
    assert answer.json["input"] == str(tmp_path / "a\ufffd.html")
    assert answer.json["url"].endswith("/a%FF.html")


def test_an_article_is_told_apart(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    said = {
        "@type": "NewsArticle",
        "headline": "Lamps lit",
        "author": {"name": "Ada Wick"},
        "datePublished": "2026-02-03",
        "articleBody": "All of them.",
    }
    file.write_text(f'<html lang="en"><script type="application/ld+json">{json.dumps(said)}</script></html>')

    article = lamplighter("extract", file, "--json").json["article"]

    assert list(article) == ["title", "text", "author", "published_at", "language"]
    assert (article["title"], article["text"], article["author"]) == ("Lamps lit", "All of them.", "Ada Wick")
    assert article["published_at"].startswith("2026-02-03")


PROSE = "<p>We heat old houses with the warmth of the ground below them, and we have done so since 1987.</p>"


def test_the_text_of_a_page_is_told_even_if_it_is_no_article(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(
        f'<html lang="en"><title>About us</title><h1>About us</h1><p>Published 3 February 2026</p>{PROSE * 5}</html>'
    )

    told = lamplighter("extract", file, "--json").json

    assert told["records"] == []
    assert (told["article"]["title"], told["article"]["language"]) == ("About us", "en")
    assert told["article"]["text"].startswith("We heat old houses")
    assert told["article"]["published_at"].startswith("2026-02-03")


def test_a_page_that_asks_for_short_snippets_is_shown_in_short(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(f'<meta name="robots" content="max-snippet:12"><h1>About us</h1>{PROSE * 5}')

    article = lamplighter("extract", file, "--json").json["article"]

    assert article["text"] == "We heat old "


def test_several_inputs_give_one_line_each_in_their_order(lamplighter: Lamplighter, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.html" for name in "abc"]
    for file in files:
        file.write_text(job_page(file.stem))

    answer = lamplighter("extract", *files, "--json")

    assert [json.loads(line)["input"] for line in answer.out.splitlines()] == [str(file) for file in files]


def test_people_read_a_table(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(job_page("Harbour pilot"))

    answer = lamplighter("extract", file)

    assert "1 record by jsonld" in answer.out
    assert "Harbour pilot" in answer.out


def test_a_list_that_was_read_by_its_form_says_what_decided(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    rows = "".join(
        f"<li><a href='/job/{n}'>Keeper of lamp {n}</a> <i>Deadline: {n} May 2031</i></li>" for n in range(1, 9)
    )
    file.write_text(f"<html lang=en><h1>Vacancies</h1><ul>{rows}</ul></html>")

    answer = lamplighter("extract", file, "--base-url", "https://quay.example/jobs")

    assert "8 records by listing" in answer.out
    assert "% sure; most of all: " in answer.out


def test_nothing_that_a_terminal_would_obey_is_printed(lamplighter: Lamplighter, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(job_page("Pi\\u001b[2Jlot [red]x[/red]").replace("\\\\u", "\\u"))

    answer = lamplighter("extract", file)

    assert "\x1b" not in answer.out
    assert "[red]x[/red]" in answer.out


def test_a_site_is_asked_politely_and_nothing_is_kept(
    lamplighter: Lamplighter, site: ThreadedOrigin, environment: dict[str, str]
) -> None:
    answer = lamplighter("extract", f"{site.url}/jobs/1", "--json")

    assert answer.json["records"][0]["title"] == "Harbour pilot"
    assert [hit.path for hit in site.log] == ["/robots.txt", "/jobs/1"]
    assert not Path(environment["LAMPLIGHTER_DATA_DIR"]).exists()


def test_what_could_not_be_had_is_told_and_the_rest_is_read(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    answer = lamplighter("extract", f"{site.url}/private/1", f"{site.url}/jobs/1", "--json")

    assert answer.code == 1
    assert "Disallow: /private" in answer.err
    assert answer.json["url"] == f"{site.url}/jobs/1"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(["nowhere.html"], "nowhere.html", id="missing file"),
        pytest.param(["."], "is a folder", id="folder"),
        pytest.param(["gopher://a.example/"], "neither http nor https", id="not of the web"),
        pytest.param(["page.html", "--base-url", "nonsense"], "'nonsense'", id="wrong base"),
    ],
)
def test_wrong_words_are_named(lamplighter: Lamplighter, words: list[str], told: str) -> None:
    answer = lamplighter("extract", *words)

    assert answer.code == 2
    assert told in answer.err
