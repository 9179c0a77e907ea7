"""What would happen to this URL now, and why?"""

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin


def test_a_url_that_nobody_knows_would_be_asked_for_if_robots_txt_allows_it(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    answer = lamplighter("explain", f"{site.url}/jobs")

    assert answer.code == 0
    assert f"{site.url}/jobs would be asked for if robots.txt allows it." in answer.out
    assert "Page: not known" in answer.out
    assert site.log == []


def test_after_a_crawl_everything_that_has_a_say_is_told(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", f"{site.url}/jobs", "--delay-ms", "20")

    allowed = lamplighter("explain", f"{site.url}/jobs/1")
    forbidden = lamplighter("explain", f"{site.url}/private/1", "--json")

    assert "at least 0.02 s between requests (the host's policy)" in allowed.out
    assert "Page: completed, 1 steps from its source, answered 200" in allowed.out
    assert "is paused (user); no run planned." in allowed.out
    assert forbidden.json["would_be_asked"] is False
    assert "Disallow: /private" in forbidden.json["robots"]["why"]


def test_what_is_no_url_is_named(lamplighter: Lamplighter) -> None:
    answer = lamplighter("explain", "jobs")

    assert answer.code == 2
    assert "'jobs'" in answer.err
