"""What would happen to this URL now, and why?"""

from typing import Any

import pytest

from lamplighter.cli.sources.explain import rest_sentence
from tests.cli.conftest import Lamplighter
from tests.origin import Answer, ThreadedOrigin


def test_a_url_that_nobody_knows_would_be_asked_for_if_robots_txt_allows_it(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    answer = lamplighter("explain", f"{site.url}/jobs")

    assert answer.code == 0
    assert f"{site.url}/jobs would be fetched if robots.txt allows it." in answer.out
    assert "Page: unknown" in answer.out
    assert site.log == []


def test_after_a_crawl_everything_that_has_a_say_is_told(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", f"{site.url}/jobs", "--delay-ms", "20")

    allowed = lamplighter("explain", f"{site.url}/jobs/1")
    forbidden = lamplighter("explain", f"{site.url}/private/1", "--json")

    assert "at least 0.02 s between requests (the host's policy)" in allowed.out
    assert "Page: completed, 1 link from its source, answered 200" in allowed.out
    assert "its change rate is not known yet." in allowed.out
    assert "is paused (source_disabled); no run planned." in allowed.out
    assert forbidden.json["would_be_asked"] is False
    assert "Disallow: /private" in forbidden.json["robots"]["why"]


def test_the_status_of_a_later_trouble_is_not_told_of_the_answer_before_it(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    lamplighter("crawl", f"{site.url}/jobs", "--delay-ms", "20")
    site.route("/jobs", Answer(status=500))
    lamplighter("crawl", f"{site.url}/jobs", "--delay-ms", "20", LAMPLIGHTER_REQUEST_RETRIES="0")

    told = lamplighter("explain", f"{site.url}/jobs").out

    assert "0 links from its source, last fetched on" in told
    assert "server_error" in told


RESTING: dict[str, Any] = {
    "until": "2026-03-16T12:00:00+00:00",
    "changes_every_seconds": 9 * 3600.0,
    "missing_count": 0,
}


@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        pytest.param({"why": "learnt"}, "changes about every 9 h", id="learnt"),
        pytest.param({"why": "closed"}, "closed: all its records are past their deadline or gone", id="over"),
        pytest.param({"why": "gone", "missing_count": 2}, "gone, missing twice", id="gone"),
        pytest.param({"why": "gone", "missing_count": 4}, "gone, missing 4 times in a row", id="long gone"),
    ],
)
def test_a_resting_page_is_explained_in_words(rest: dict[str, Any], sentence: str) -> None:
    assert (
        rest_sentence(RESTING | rest)
        == f"It is fetched again from 2026-03-16 12:00:00 UTC, if a page links to it: {sentence}."
    )


@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        pytest.param({"why": "under_way"}, None, id="under way"),
        pytest.param({"why": "asked_in_every_run"}, "It is fetched in every run.", id="a listing"),
        pytest.param(
            {"why": "missing", "missing_count": 1},
            "It is fetched again as soon as a page links to it: it was missing or could not be fetched.",
            id="not there once",
        ),
    ],
)
def test_a_page_that_does_not_rest_is_explained_too(rest: dict[str, Any], sentence: str | None) -> None:
    assert rest_sentence(RESTING | rest) == sentence


def test_what_is_no_url_is_named(lamplighter: Lamplighter) -> None:
    answer = lamplighter("explain", "jobs")

    assert answer.code == 2
    assert "'jobs' is not a URL; write it in full" in answer.err


def test_what_would_be_refused_is_not_said_to_be_asked_for(lamplighter: Lamplighter) -> None:
    stranger = lamplighter("explain", "https://a.example/jobs")
    inside = lamplighter("explain", "http://10.0.0.1/", "--json")
    lamplighter("pause", "--reason", "a storm")
    paused = lamplighter("explain", "https://a.example/jobs", LAMPLIGHTER_CONTACT_URL="https://b.example/bot")

    assert "https://a.example/jobs would not be fetched.\nWhy not (no_contact): " in stranger.out
    assert "Unknown: a.example is not looked up" in stranger.out
    assert (inside.json["would_be_asked"], inside.json["obstacles"][0]["reason"]) == (False, "address_refused")
    assert "Why not (standstill): all crawling is paused" in paused.out
    assert "a storm; `lamplighter resume` resumes it." in paused.out


def test_the_pace_that_nobody_set_for_a_host_is_the_installations(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    assert "at least 0.01 s between requests (the installation's default)" in lamplighter("explain", site.url).out


def test_the_demos_own_sites_are_open_to_the_service_that_brings_them(lamplighter: Lamplighter) -> None:
    lamplighter("sources", "add", "http://127.0.0.1:9/jobs", "--tag", "demo")

    answer = lamplighter("explain", "http://127.0.0.1:9/jobs")

    assert "would be fetched if robots.txt allows it." in answer.out
    assert "Note: 127.0.0.1:9 belongs to the demo; only a service that runs with --demo may fetch it." in answer.out
