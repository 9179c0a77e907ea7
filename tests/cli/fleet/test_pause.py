"""`lamplighter pause` and `lamplighter resume`: one switch for the whole installation."""

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin


def test_who_paused_and_why_is_said(lamplighter: Lamplighter) -> None:
    answer = lamplighter("pause", "--reason", "the proxies move")

    assert answer.code == 0
    assert answer.out.startswith("All crawling is paused since ")
    assert answer.out.endswith("by command line: the proxies move\n")


def test_pausing_twice_says_what_stands(lamplighter: Lamplighter) -> None:
    lamplighter("pause", "--reason", "the proxies move")

    answer = lamplighter("pause")

    assert answer.code == 1
    assert "the proxies move; resume it first" in answer.err


def test_what_goes_on_cannot_be_resumed(lamplighter: Lamplighter) -> None:
    lamplighter("pause")
    resumed = lamplighter("resume")

    answer = lamplighter("resume")

    assert (resumed.code, answer.code) == (0, 1)
    assert resumed.out.startswith("Crawling is resumed; it was paused since ")
    assert "not paused" in answer.err


def test_while_all_crawling_is_paused_one_crawl_is_refused_with_the_reason(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    lamplighter("pause", "--reason", "the proxies move")
    refused = lamplighter("crawl", site.url + "/jobs")
    asked_meanwhile = list(site.log)
    lamplighter("resume")

    answer = lamplighter("crawl", site.url + "/jobs")

    assert refused.code == 1
    assert "the proxies move" in refused.err
    assert asked_meanwhile == []
    assert answer.code == 0


def test_trying_a_page_out_stays_possible(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("pause")

    answer = lamplighter("extract", site.url + "/jobs/1")

    assert answer.code == 0
    assert "Harbour pilot" in answer.out
