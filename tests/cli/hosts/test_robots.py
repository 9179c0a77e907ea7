"""May this agent ask for this URL, and which line decides?"""

from pathlib import Path

import pytest

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin

TEXT = """User-agent: *
Crawl-delay: 2
Disallow: /private
Allow: /private/open

User-agent: GreedyBot
Disallow: /
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "robots.txt"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    ("agent", "url", "code", "rule", "line", "group"),
    [
        ("SomeBot", "https://a.example/x", 0, None, None, "*"),
        ("SomeBot", "https://a.example/private/x", 1, "Disallow: /private", 3, "*"),
        ("SomeBot", "https://a.example/private/open", 0, "Allow: /private/open", 4, "*"),
        ("GreedyBot/2.0 (+x)", "https://a.example/x", 1, "Disallow: /", 7, "GreedyBot"),
        ("SomeBot", "/private/x", 1, "Disallow: /private", 3, "*"),
    ],
)
def test_the_exit_code_and_the_line_tell(
    lamplighter: Lamplighter, file: Path, agent: str, url: str, code: int, rule: str | None, line: int, group: str
) -> None:
    answer = lamplighter("robots", file, "--agent", agent, "--url", url, "--json")

    assert answer.code == code
    assert answer.json == {
        "allowed": code == 0,
        "rule": rule,
        "line": line,
        "group": group,
        "crawl_delay_seconds": None if agent.startswith("Greedy") else 2.0,
    }


def test_people_read_a_sentence(lamplighter: Lamplighter, file: Path) -> None:
    answer = lamplighter("robots", file, "--url", "/private/x")

    assert answer.out == (
        "Disallowed for LamplighterBot: by 'Disallow: /private' (line 3), in the group of '*'; Crawl-delay 2 s.\n"
    )


def test_a_site_is_asked_for_its_robots_txt_only(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    answer = lamplighter("robots", site.url, "--agent", "SomeBot", "--url", f"{site.url}/private/x", "--json")

    assert answer.code == 1
    assert answer.json["rule"] == "Disallow: /private"
    assert [hit.path for hit in site.log] == ["/robots.txt"]


def test_p4_a_robots_txt_that_cannot_be_had_allows_nothing(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    site.robots(status=503)

    answer = lamplighter("robots", site.url, "--url", f"{site.url}/x", "--json")

    assert answer.code == 1
    assert answer.json["allowed"] is False
    assert "503" in answer.json["rule"]


def test_an_address_that_was_not_opened_is_not_asked(lamplighter: Lamplighter) -> None:
    answer = lamplighter("robots", "http://127.0.0.9:9/", "--url", "http://127.0.0.9:9/x")

    assert answer.code == 1
    assert "LAMPLIGHTER_ALLOW_HOSTS=127.0.0.9:9" in answer.err


def test_a_missing_file_is_named(lamplighter: Lamplighter) -> None:
    answer = lamplighter("robots", "nowhere.txt", "--url", "/x")

    assert answer.code == 2
    assert "'nowhere.txt'" in answer.err
