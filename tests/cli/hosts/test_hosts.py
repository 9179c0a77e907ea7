"""`lamplighter hosts`."""

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin


def test_a_policy_set_here_is_what_explain_shows(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("hosts", "policy", site.address, "--min-delay-ms", "1234")

    shown = lamplighter("explain", site.url + "/jobs", "--json").json

    assert shown["host"]["delay_seconds"] == 1.234


def test_a_policy_without_a_change_is_refused(lamplighter: Lamplighter) -> None:
    answer = lamplighter("hosts", "policy", "example.org")

    assert answer.code == 2
    assert "--min-delay-ms" in answer.err


def test_an_impossible_policy_is_refused_by_name(lamplighter: Lamplighter) -> None:
    answer = lamplighter("hosts", "policy", "example.org", "--max-concurrency", "0")

    assert answer.code == 2
    assert "max_concurrency 0" in answer.err


def test_a_site_taken_down_is_not_asked_by_a_crawl(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("hosts", "takedown", "127.0.0.1", "--reason", "its owner asked")

    answer = lamplighter("crawl", site.url + "/jobs")

    assert answer.code == 1
    assert "takedown" in answer.out + answer.err
    assert site.log == []


def test_windows_and_budgets_are_part_of_a_policy(lamplighter: Lamplighter) -> None:
    answer = lamplighter(
        "hosts", "policy", "example.org", "--windows", "deny 02:00-04:00 UTC", "--budget-per-hour", "9"
    )

    assert answer.code == 0
    assert "windows deny 02:00-04:00 UTC, budget_per_hour 9.0" in answer.out


def test_how_a_host_is_reached_is_part_of_its_policy(lamplighter: Lamplighter) -> None:
    set_both = lamplighter("hosts", "policy", "example.org", "--proxy-mode", "prefer", "--proxy-country", "de")
    refused = lamplighter("hosts", "policy", "example.org", "--proxy-mode", "sometimes")

    assert "proxy_mode prefer, proxy_country de" in set_both.out
    assert refused.code == 2
    assert "'sometimes' is unknown; use only, prefer, never" in refused.err


def test_an_impossible_budget_is_refused_and_so_is_all_that_came_with_it(lamplighter: Lamplighter) -> None:
    refused = lamplighter("hosts", "policy", "example.org", "--min-delay-ms", "777", "--budget-per-hour", "0")

    assert refused.code == 2
    assert "budget of 0.0 fetches per hour for example.org" in refused.err


def test_a_takedown_is_listed_and_taken_back(lamplighter: Lamplighter) -> None:
    lamplighter("hosts", "takedown", "Example.org", "--reason", "its owner asked")

    listed = lamplighter("hosts", "takedowns", "--json").json
    removed = lamplighter("hosts", "remove-takedown", "example.org")
    again = lamplighter("hosts", "remove-takedown", "example.org")

    assert [(each["entry"], each["reason"]) for each in listed] == [("example.org", "its owner asked")]
    assert (removed.code, again.code) == (0, 1)
    assert "example.org is not on the takedown list" in again.err


def test_what_is_stored_of_a_site_is_counted_then_purged(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("crawl", site.url + "/jobs")
    too_soon = lamplighter("hosts", "purge", "127.0.0.1")
    lamplighter("hosts", "takedown", "127.0.0.1")

    counted = lamplighter("hosts", "purge", "127.0.0.1", "--dry-run", "--json").json
    unasked = lamplighter("hosts", "purge", "127.0.0.1", "--json")
    purged = lamplighter("hosts", "purge", "127.0.0.1", "--yes", "--json").json
    left = lamplighter("records", "list", "--json").json

    assert (too_soon.code, purged) == (1, counted)
    assert (unasked.code, unasked.out) == (2, "")
    assert "3 pages, 3 bodies, 2 records" in unasked.err
    assert "of 127.0.0.1 would be removed for good; nothing was removed. Add --yes to confirm" in unasked.err
    assert (purged["pages"], purged["records"]) == (3, 2)
    assert left == []


def test_a_disabled_host_is_said_to_be_so_until_it_is_enabled(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("hosts", "disable", site.address)
    while_disabled = lamplighter("explain", site.url + "/jobs")
    lamplighter("hosts", "enable", site.address)
    after = lamplighter("explain", site.url + "/jobs")

    assert "Why not (host_disabled)" in while_disabled.out
    assert "disabled" not in after.out


def test_a_host_is_asked_under_the_name_that_was_set_for_it(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    refused = lamplighter("hosts", "user-agent", site.address, "Mozilla/5.0")
    lamplighter("hosts", "user-agent", site.address, "LamplighterBot/2.0 (for the harbour)")

    lamplighter("crawl", site.url + "/jobs", "--max-pages", "1", "--delay-ms", "0")

    assert refused.code == 2
    assert {hit.headers["user-agent"] for hit in site.log} == {"LamplighterBot/2.0 (for the harbour)"}
