"""What a site allows its content to be used for is read wherever it says so, and never lost."""

import pytest
from multidict import CIMultiDict

from lamplighter.rules.robots import usage
from lamplighter.rules.robots.robots import compile_robots

PAGE = "https://site.example/news/1"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({}, None, id="nothing said"),
        pytest.param({"Content-Usage": "train-ai=n"}, "header content-usage: train-ai=n", id="AIPREF"),
        pytest.param({"TDM-Reservation": "1"}, "header tdm-reservation: 1", id="TDMRep"),
        pytest.param(
            {"Content-Signal": "search=yes,  ai-train=no", "TDM-Policy": "https://site.example/p"},
            "header content-signal: search=yes, ai-train=no\nheader tdm-policy: https://site.example/p",
            id="several",
        ),
    ],
)
def test_preferences_of_headers(headers: dict[str, str], expected: str | None) -> None:
    assert usage.from_headers(CIMultiDict(headers)) == expected


def test_of_a_header_that_comes_several_times_every_line_counts() -> None:
    headers = CIMultiDict([("Content-Usage", "train-ai=n"), ("content-usage", "search=n")])

    assert usage.forbids_search(usage.from_headers(headers))


ROBOTS = b"""
User-agent: otherbot
Content-Signal: search=no

User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: train-ai=n
Content-Usage: /news/ search=n
Disallow: /private/
License: https://site.example/license.xml
"""


def test_robots_txt_says_it_per_group_and_path() -> None:
    robots = compile_robots(ROBOTS)

    news, home = robots.usage("lamplighterbot", PAGE), robots.usage("lamplighterbot", "https://site.example/")

    assert usage.as_mapping(news) == {"search": "n", "license": "https://site.example/license.xml"}
    assert usage.as_mapping(home)["ai-train"] == "no"
    assert usage.as_mapping(robots.usage("otherbot", PAGE))["search"] == "no"


@pytest.mark.parametrize(
    ("line", "path", "applies"),
    [
        pytest.param("/news/ search=n", "/news/1", True, id="what begins so"),
        pytest.param("/news/\tsearch=n", "/news/1", True, id="a tab between"),
        pytest.param("/news/  \t search=n", "/news/1", True, id="several of both"),
        pytest.param("/*.html search=n", "/news/1.html", True, id="a star"),
        pytest.param("/*.html$ search=n", "/news/1.html?print", False, id="an end"),
        pytest.param("/%7Enews/ search=n", "/~news/1", True, id="an escape that was not needed"),
        pytest.param("/caf%c3%a9 search=n", "/caf%C3%A9", True, id="an escape in small letters"),
        pytest.param("/news/", "/news/1", False, id="nothing said of it"),
    ],
)
def test_its_paths_are_read_as_those_of_rules(line: str, path: str, applies: bool) -> None:
    robots = compile_robots(f"User-agent: *\nContent-Usage: {line}\n".encode())

    assert usage.forbids_search(robots.usage("lamplighterbot", f"https://site.example{path}")) is applies


def test_a_usage_line_ends_no_group_of_agents() -> None:
    robots = compile_robots(b"User-agent: a\nContent-Signal: search=no\nUser-agent: b\nDisallow: /x\n")

    assert not robots.verdict("a", "https://site.example/x").allowed
    assert not robots.verdict("b", "https://site.example/x").allowed


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param("header content-usage: search=n", True, id="AIPREF"),
        pytest.param("robots content-signal: ai-train=no, search=no", True, id="Content-Signal"),
        pytest.param("header content-usage: train-ai=n, search=y", False, id="search allowed"),
        pytest.param("header tdm-reservation: 1", False, id="reserving text and data mining is not hiding"),
        pytest.param(None, False, id="nothing said"),
    ],
)
def test_only_a_no_to_search_keeps_content_out(lines: str | None, expected: bool) -> None:
    assert usage.forbids_search(lines) is expected


def test_of_two_preferences_that_disagree_the_stricter_is_shown() -> None:
    lines = usage.joined("header content-usage: search=y", "robots content-usage: search=n", None)

    assert usage.as_mapping(lines) == {"search": "n"}
