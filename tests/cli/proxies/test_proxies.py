"""`lamplighter proxies`."""

import pytest

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin


def test_proxies_are_added_listed_switched_and_removed(lamplighter: Lamplighter) -> None:
    added = lamplighter("proxies", "add", "socks5://annabella:hunter2@exit.example:1080", "--country", "de")
    lamplighter("proxies", "disable", "1")
    shown = lamplighter("proxies", "list")
    listed = lamplighter("proxies", "list", "--json")
    enabled = lamplighter("proxies", "enable", "1")
    removed = lamplighter("proxies", "remove", "1")

    assert "Proxy 1 was added" in added.out
    assert (listed.json[0]["address"], listed.json[0]["health"], listed.json[0]["country_code"]) == (
        "exit.example",
        "off",
        "DE",
    )
    assert "disabled" in shown.out
    for answer in (added, shown, listed):
        assert all(secret not in answer.out + answer.err for secret in ("hunter2", "annabella"))
    assert (enabled.code, removed.code, lamplighter("proxies", "list", "--json").json) == (0, 0, [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(
            ("add", "ftp://exit.example:80"), "one of the protocols http, https, socks5", id="a protocol that is none"
        ),
        pytest.param(("add", "http://exit.example:80", "--country", "Germany"), "two letters", id="no country"),
        pytest.param(("enable", "7"), "there is no proxy 7", id="no such proxy"),
        pytest.param(("assign", "nobody.example", "1"), "not a known host", id="no such host"),
        pytest.param(("advise", "nobody.example"), "not a known host", id="no advice for nobody"),
        pytest.param(("test", "--host", "a.example"), "there is no proxy to test", id="nothing to test"),
    ],
)
def test_what_cannot_be_done_is_said(lamplighter: Lamplighter, words: tuple[str, ...], said: str) -> None:
    answer = lamplighter("proxies", *words)

    assert answer.code in (1, 2)
    assert said in answer.err


def test_a_host_is_given_proxies_advised_and_relieved_of_them(lamplighter: Lamplighter, site: ThreadedOrigin) -> None:
    lamplighter("hosts", "policy", site.address, "--min-delay-ms", "10")
    for name in "ab":
        lamplighter("proxies", "add", f"http://{name}.example:80")

    assigned = lamplighter("proxies", "assign", site.address, "1", "2", "--priority", "70")
    lamplighter("proxies", "disable", "2", "--host", site.address)
    advice = lamplighter("proxies", "advise", "--json").json
    lamplighter("proxies", "remove", "1", "--host", site.address)
    after = lamplighter("proxies", "advise", "--json").json

    assert f"{site.address} uses proxies 1, 2." in assigned.out
    assert (advice[0]["host"], advice[0]["has"], advice[0]["per_proxy"]) == (site.address, 1, 20)
    assert after[0]["has"] == 0


def test_a_proxy_that_does_not_answer_fails_its_test_and_says_why(
    lamplighter: Lamplighter, site: ThreadedOrigin
) -> None:
    lamplighter("crawl", site.url + "/jobs", "--max-pages", "1")
    # Nobody listens at port 1 of this machine.
    lamplighter("proxies", "add", "http://127.0.0.1:1")
    site.log.clear()
    opened = {"LAMPLIGHTER_ALLOW_HOSTS": "127.0.0.0/8"}

    table = lamplighter("proxies", "test", "--proxy", "1", "--host", site.address, **opened)
    on_outcome = lamplighter("proxies", "test", "--host", site.address, "--json", **opened)

    assert (table.code, on_outcome.code) == (1, 1)
    assert "failed" in table.out
    assert [(each["url"], each["ok"], each["status"]) for each in on_outcome.json] == [
        (site.url + "/jobs", False, None)
    ]
    assert site.log == []


@pytest.mark.parametrize(
    "words",
    [
        ("add", "http://127.0.0.1:1", "--max-per-hour"),
        ("assign", "a.example"),
        ("enable",),
        ("disable",),
        ("remove",),
        ("test", "--host", "a.example", "--proxy"),
        ("advise", "a.example", "--per-proxy"),
    ],
    ids=lambda words: words[0],
)
def test_a_number_that_no_database_holds_is_wrong_use(lamplighter: Lamplighter, words: tuple[str, ...]) -> None:
    answer = lamplighter("proxies", *words, str(2**63))

    assert answer.code == 2
    assert "it must be at most" in answer.err
