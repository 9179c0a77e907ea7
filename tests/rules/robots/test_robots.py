"""What a robots.txt means: RFC 9309, and what its authors forgive."""

import time
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.model.host import RobotsVerdict
from lamplighter.rules.robots.robots import compile_robots, product_token
from lamplighter.rules.robots.robots_parse import MAX_BYTES

SITE = "https://example.com"
BOT = "LamplighterBot"


def verdict(body: str | bytes, path: str = "/x", agent: str = BOT) -> RobotsVerdict:
    octets = body.encode() if isinstance(body, str) else body
    return compile_robots(octets).verdict(agent, SITE + path)


def for_us(*rules: str) -> str:
    return "\n".join(["User-agent: LamplighterBot", *rules])


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        pytest.param(["Disallow: /"], "/x", False, id="everything closed"),
        pytest.param(["Disallow:"], "/x", True, id="empty Disallow closes nothing"),
        pytest.param(["Disallow:", "Allow:"], "/x", True, id="empty rules say nothing"),
        pytest.param([], "/x", True, id="a group without rules"),
        pytest.param(["Disallow: /fish"], "/fish", False, id="the path itself"),
        pytest.param(["Disallow: /fish"], "/fishheads/yummy.html", False, id="a prefix is enough"),
        pytest.param(["Disallow: /fish"], "/Fish.asp", True, id="case counts"),
        pytest.param(["Disallow: /fish"], "/catfish", True, id="only from the start"),
        pytest.param(["Disallow: /fish"], "/?id=fish", True, id="not inside the query"),
        pytest.param(["Disallow: /fish/"], "/fish", True, id="the slash is part of it"),
        pytest.param(["Disallow: /fish/"], "/fish/?salmon", False, id="the query follows the path"),
        pytest.param(["Disallow: fish"], "/fish", True, id="a path without its slash matches nothing"),
        pytest.param(["Disallow: /x", "Allow: /x/page"], "/x/page", True, id="longer Allow wins"),
        pytest.param(["Allow: /x", "Disallow: /x/page"], "/x/page", False, id="longer Disallow wins"),
        pytest.param(["Disallow: /x", "Allow: /x"], "/x", True, id="Allow wins a tie"),
        pytest.param(["Allow: /x", "Disallow: /x"], "/x", True, id="Allow wins a tie in either order"),
        pytest.param(["Allow: /page", "Disallow: /*.htm"], "/page.htm", False, id="stars count as octets"),
        pytest.param(["Allow: /$", "Disallow: /"], "/", True, id="the dollar counts as an octet"),
        pytest.param(["Allow: /$", "Disallow: /"], "/page", False, id="only the root is open"),
        pytest.param(["Disallow: /*.php"], "/folder/name.php?parameters", False, id="star, then anything"),
        pytest.param(["Disallow: /*.php"], "/windows.PHP", True, id="star, case counts"),
        pytest.param(["Disallow: /*.php$"], "/folder/name.php", False, id="star and end"),
        pytest.param(["Disallow: /*.php$"], "/name.php/", True, id="end is the end"),
        pytest.param(["Disallow: /*.php$"], "/name.php5", True, id="nothing after the end"),
        pytest.param(["Disallow: /*.php$"], "/a.php.php", False, id="the last one may be the end"),
        pytest.param(["Disallow: /fish*.php"], "/fishheads/catfish.php?x", False, id="star in the middle"),
        pytest.param(["Disallow: /fish*"], "/fish", False, id="a star may be nothing"),
        pytest.param(["Disallow: *"], "/x", False, id="a lone star"),
        pytest.param(["Disallow: *x"], "/a/x", False, id="a star in front"),
        pytest.param(["Disallow: /a**b"], "/a-b", False, id="two stars are one"),
        pytest.param(["Disallow: /a*b*a"], "/aba", False, id="pieces may touch"),
        pytest.param(["Disallow: /a*b*a"], "/ab", True, id="pieces may not overlap"),
        pytest.param(["Disallow: /ab*b$"], "/ab", True, id="start and end may not overlap"),
        pytest.param(["Disallow: /ab*$"], "/ab", False, id="a star before the end"),
        pytest.param(["Disallow: /a$b"], "/a$b", False, id="a dollar inside is a dollar"),
        pytest.param(["Disallow: /a$b"], "/a", True, id="a dollar inside is not the end"),
        pytest.param(["Disallow: /x$"], "/x", False, id="exactly this"),
        pytest.param(["Disallow: /x$"], "/x?y", True, id="not with a query"),
        pytest.param(["Disallow: /x # no"], "/x", False, id="comment behind a rule"),
        pytest.param(["# Disallow: /x"], "/x", True, id="comment instead of a rule"),
        pytest.param(["Disallow: /q?a=1"], "/q?a=1&b=2", False, id="query in a rule"),
        pytest.param(["Disallow: /robots.txt", "Disallow: /"], "/robots.txt", True, id="robots.txt is always open"),
        pytest.param(["Disallow: /"], "/robots.txt/x", False, id="only robots.txt itself is"),
        pytest.param(["Allow: /d/index.html", "Disallow: /"], "/d/", True, id="an index page is its directory"),
        pytest.param(["Allow: /d/index.html", "Disallow: /"], "/d/other", False, id="and no more"),
        pytest.param(["Allow: /a/index.html", "Disallow: /b"], "/b", False, id="an index page elsewhere"),
    ],
)
def test_c8_longest_match_decides(rules: list[str], path: str, allowed: bool) -> None:
    assert verdict(for_us(*rules), path).allowed is allowed


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        pytest.param("/foo/ツ", "/foo/%E3%83%84", id="UTF-8 in the rule"),
        pytest.param("/foo/%e3%83%84", "/foo/%E3%83%84", id="escapes in lower case"),
        pytest.param("/foo/ツ", "/foo/ツ", id="UTF-8 in both"),
        pytest.param("/%7Ejoe", "/~joe", id="needless escape in the rule"),
        pytest.param("/~joe", "/%7Ejoe", id="needless escape in the URL"),
        pytest.param("/foo/%62%61%7A", "/foo/baz", id="escaped letters"),
        pytest.param("/a b", "/a%20b", id="space"),
        pytest.param("/{id}", "/%7Bid%7D", id="braces"),
        pytest.param("/star-%2A", "/star-*", id="a star that means itself"),
        pytest.param("/price-%24", "/price-$", id="a dollar that means itself"),
        pytest.param("/a|b", "/a|b", id="a bar"),
        pytest.param("/q?x='y'", "/q?x=%27y%27", id="apostrophes in the query"),
        pytest.param("/private", "/public/../private", id="dot segments in the URL"),
        pytest.param("/private", "/public/%2E%2e/private", id="escaped dot segments in the URL"),
    ],
)
def test_c8_rule_meets_url_in_every_spelling(rule: str, path: str) -> None:
    assert not verdict(for_us(f"Disallow: {rule}"), path).allowed


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        pytest.param("/a%2Fb", "/a/b", id="an escaped slash is no slash"),
        pytest.param("/a%3Fb", "/a?b", id="an escaped question mark is none"),
        pytest.param("/%41", "/a", id="case survives decoding"),
    ],
)
def test_c8_reserved_characters_differ_from_their_escapes(rule: str, path: str) -> None:
    assert verdict(for_us(f"Disallow: {rule}"), path).allowed


def test_c8_where_rfc_and_google_read_an_escaped_letter_differently_the_stricter_counts() -> None:
    body = for_us("Disallow: /", "Allow: /foo/%62%61%7A")

    assert verdict(body, "/foo/%62%61%7A").allowed
    assert not verdict(body, "/foo/baz").allowed


def test_c8_both_readings_must_find_the_longer_allow() -> None:
    body = for_us("Disallow: /%7Ejoe", "Allow: /%7Ejoe/public")

    assert verdict(body, "/~joe/public").allowed
    assert not verdict(body, "/~joe/private").allowed


@pytest.mark.parametrize(
    ("body", "allowed", "group"),
    [
        pytest.param("", True, None, id="empty file"),
        pytest.param("Disallow: /", True, None, id="rule outside any group"),
        pytest.param("User-agent: OtherBot\nDisallow: /", True, None, id="somebody else's group"),
        pytest.param("User-agent: *\nDisallow: /", False, "*", id="everybody's group"),
        pytest.param("User-agent: * \nDisallow: /", False, "*", id="star and a space"),
        pytest.param("User-agent: * please\nDisallow: /", False, "*", id="star and words"),
        pytest.param("User-agent: *bot\nDisallow: /", True, None, id="no wildcards in names"),
        pytest.param("User-agent: lamplighterBOT\nDisallow: /", False, BOT, id="case does not count"),
        pytest.param("User-agent: LamplighterBot/1.0\nDisallow: /", False, BOT, id="version behind the name"),
        pytest.param("User-agent: LamplighterBot News\nDisallow: /", False, BOT, id="words behind the name"),
        pytest.param("User-agent: Lamplighter\nDisallow: /", True, None, id="a part of the name is another"),
        pytest.param("User-agent: LamplighterBot-News\nDisallow: /", True, None, id="a longer name is another"),
        pytest.param("User-agent:\nDisallow: /", True, None, id="no name"),
        pytest.param(
            "User-agent: *\nDisallow: /\nUser-agent: LamplighterBot\nDisallow: /y",
            True,
            BOT,
            id="ours beats everybody's",
        ),
        pytest.param(
            "User-agent: LamplighterBot\nUser-agent: *\nDisallow: /x", False, BOT, id="one group for us and everybody"
        ),
        pytest.param("User-agent: LamplighterBot\n\n\nDisallow: /x", False, BOT, id="blank lines do not end a group"),
        pytest.param(
            "User-agent: LamplighterBot\nAllow: /y\nUser-agent: A\nAllow: /\nUser-agent: lamplighterbot\nDisallow: /x",
            False,
            BOT,
            id="all our groups are combined",
        ),
        pytest.param(
            "User-agent: LamplighterBot\nSitemap: https://example.com/s\nUser-agent: B\nDisallow: /x",
            False,
            BOT,
            id="a sitemap does not end a group",
        ),
        pytest.param(
            "User-agent: LamplighterBot\nNoindex: /y\nUser-agent: B\nDisallow: /x",
            False,
            BOT,
            id="an unknown line does not end a group",
        ),
        pytest.param(
            "User-agent: LamplighterBot\nDisallow:\nUser-agent: B\nDisallow: /x", True, BOT, id="an empty rule does"
        ),
    ],
)
def test_c8_group_that_speaks_to_us_is_found(body: str, allowed: bool, group: str | None) -> None:
    found = verdict(body)

    assert (found.allowed, found.group) == (allowed, group)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("USER-AGENT: LamplighterBot\nDISALLOW: /x", id="upper case"),
        pytest.param("user-agent LamplighterBot\ndisallow /x", id="colons forgotten"),
        pytest.param("user-agent\tLamplighterBot\ndisallow \t /x", id="tabs for colons"),
        pytest.param("useragent: LamplighterBot\ndisallow: /x", id="useragent"),
        pytest.param("user agent: LamplighterBot\ndisallow: /x", id="user agent"),
        pytest.param("user-agent : LamplighterBot\ndisallow : /x", id="space before the colon"),
        pytest.param("  User-agent:LamplighterBot\n\tDisallow:/x  ", id="white space around, none inside"),
        pytest.param("User-agent: LamplighterBot\nDissallow: /x", id="dissallow"),
        pytest.param("User-agent: LamplighterBot\nDisalow: /x", id="disalow"),
        pytest.param("User-agent: LamplighterBot\nDiasllow: /x", id="diasllow"),
        pytest.param("User-agent: LamplighterBot\nDisallaw: /x", id="disallaw"),
        pytest.param("nonsense\n: /y\nUser-agent: LamplighterBot\nword\nthree words here\nDisallow: /x", id="nonsense"),
    ],
)
def test_c8_usual_mistakes_are_forgiven(body: str) -> None:
    assert not verdict(body).allowed


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\xef\xbb\xbfUser-agent: *\nDisallow: /x", id="UTF-8 with BOM"),
        pytest.param(b"\xef\xbbUser-agent: *\nDisallow: /x", id="half a BOM"),
        pytest.param("\ufeffUser-agent: *\nDisallow: /x".encode("utf-16-le"), id="UTF-16 little-endian"),
        pytest.param("\ufeffUser-agent: *\nDisallow: /x".encode("utf-16-be"), id="UTF-16 big-endian"),
        pytest.param("User-agent: *\nDisallow: /x".encode("utf-16-le"), id="UTF-16 without a BOM"),
        pytest.param(b"User-agent: *\rDisallow: /x", id="CR only"),
        pytest.param(b"User-agent: *\r\nDisallow: /x\r\n", id="CRLF"),
        pytest.param(b"User-agent: *\0\nDisallow: /x\0\n", id="NUL bytes"),
        pytest.param(b"# caf\xe9\nUser-agent: *\nDisallow: /x", id="Latin-1 in a comment"),
        pytest.param(b"\xff\x00\x80\nUser-agent: *\nDisallow: /x", id="binary in front"),
    ],
)
def test_c7_rules_are_read_in_any_encoding(body: bytes) -> None:
    assert not verdict(body).allowed


def test_c7_latin_1_octets_are_compared_as_octets() -> None:
    body = b"User-agent: *\nDisallow: /caf\xe9"

    assert not verdict(body, "/caf%E9").allowed
    assert verdict(body, "/caf%C3%A9").allowed


@pytest.mark.parametrize("start", ["<!DOCTYPE html>", "  \n<html lang=en>", "<?xml version='1.0'?>", "\ufeff<HTML>"])
def test_c7_html_page_has_no_rules(start: str) -> None:
    body = f"{start}\nUser-agent: *\nDisallow: /\nSitemap: https://example.com/s.xml\n"

    assert verdict(body) == RobotsVerdict(allowed=True)
    assert compile_robots(body.encode()).sitemaps == ()


def padded(rules: bytes, length: int) -> bytes:
    """A file whose last line is `rules`, ending at `length`."""
    head = b"User-agent: *\n"
    comment = b"#" * (length - len(head) - len(rules) - 1) + b"\n"
    return head + comment + rules


def test_c6_rule_within_the_limit_applies_and_one_beyond_does_not() -> None:
    body = padded(b"Disallow: /early\n", 499 * 1024) + b"#" * 2048 + b"\nDisallow: /late\n" + b"#" * 100_000

    assert not verdict(body, "/early").allowed
    assert verdict(body, "/late").allowed


def test_c6_line_cut_by_the_limit_is_dropped() -> None:
    body = padded(b"Disallow: /", MAX_BYTES) + b"private/only\n"

    assert verdict(body, "/public").allowed
    assert verdict(body, "/private/only").allowed


def test_c6_line_that_ends_at_the_limit_counts() -> None:
    body = padded(b"Disallow: /x", MAX_BYTES) + b"\nDisallow: /y\n"

    assert not verdict(body, "/x").allowed
    assert verdict(body, "/y").allowed


def test_overlong_line_is_cut_and_what_is_left_applies() -> None:
    body = for_us("Disallow: /" + "a" * 20_000)

    assert not compile_robots(body.encode()).verdict(BOT, SITE + "/" + "a" * 17_000).allowed
    assert verdict(body, "/a").allowed


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        pytest.param("/" + "*a" * 50 + "$", "/" + "a" * 4000 + "b", id="stars and one letter"),
        pytest.param("/" + "*aaaaaaaaab" * 50, "/" + "a" * 4000, id="stars and long pieces"),
        pytest.param("/" + "*" * 5000 + "b$", "/" + "a" * 4000, id="nothing but stars"),
    ],
)
def test_c9_redos_pattern_is_linear(pattern: str, path: str) -> None:
    robots = compile_robots(for_us(f"Disallow: {pattern}").encode())
    started = time.process_time()

    found = robots.verdict(BOT, SITE + path)

    assert found.allowed
    assert time.process_time() - started < 0.5


def test_five_thousand_rules_stay_fast() -> None:
    rules = [f"Disallow: /section{number}/*/private" for number in range(5000)]
    robots = compile_robots(for_us(*rules).encode())
    robots.verdict(BOT, SITE)  # the first question sorts the rules
    started = time.process_time()

    for number in range(100):
        assert not robots.verdict(BOT, f"{SITE}/section{number}/x/private").allowed

    assert time.process_time() - started < 1


def test_verdict_names_the_line_that_decided() -> None:
    body = "# hello\r\nUser-agent: *\r\n\r\nAllow: /\r\n  Disallow:/private/caf\u00e9 # keep out\r\nCrawl-delay: 2\r\n"

    assert verdict(body, "/private/caf%C3%A9/x") == RobotsVerdict(
        allowed=False, rule="Disallow:/private/café", line=5, group="*", crawl_delay=timedelta(seconds=2)
    )
    assert verdict(body, "/public").line == 4


def test_of_equal_rules_the_first_is_named() -> None:
    body = for_us("Disallow: /*x", "Disallow: /x*", "Disallow: /xx")

    assert verdict(body, "/xx").line == 2


def test_undecided_verdict_still_names_group_and_delay() -> None:
    body = for_us("Disallow: /y", "Crawl-delay: 3")

    assert verdict(body) == RobotsVerdict(allowed=True, group=BOT, crawl_delay=timedelta(seconds=3))


@pytest.mark.parametrize(
    ("value", "delay"),
    [
        pytest.param("10", timedelta(seconds=10), id="seconds"),
        pytest.param("0.2", timedelta(milliseconds=200), id="a fraction"),
        pytest.param("0.0001", timedelta(milliseconds=1), id="rounded up to a millisecond"),
        pytest.param("1.0005", timedelta(milliseconds=1001), id="never rounded down"),
        pytest.param("1." + "0" * 60 + "1", timedelta(milliseconds=1001), id="not even by a hair"),
        pytest.param(".5", timedelta(milliseconds=500), id="no leading zero"),
        pytest.param("0", timedelta(0), id="none"),
        pytest.param("86400", timedelta(days=1), id="a day is honoured"),
        pytest.param("9" * 6000, timedelta(days=30), id="beyond all bounds: a month"),
        pytest.param("5 # slowly", timedelta(seconds=5), id="comment"),
        pytest.param("abc", None, id="a word"),
        pytest.param("-5", None, id="negative"),
        pytest.param("1e9", None, id="scientific"),
        pytest.param("nan", None, id="no number"),
        pytest.param("inf", None, id="infinite"),
        pytest.param("1,5", None, id="comma"),
        pytest.param("٣", None, id="digits of another script"),
        pytest.param("", None, id="empty"),
    ],
)
def test_c10_crawl_delay(value: str, delay: timedelta | None) -> None:
    assert verdict(for_us(f"Crawl-delay: {value}")).crawl_delay == delay


@pytest.mark.parametrize(
    ("body", "delay"),
    [
        pytest.param(
            "User-agent: LamplighterBot\nCrawl-delay: 5\n\nUser-agent: LamplighterBot\nCrawl-delay: 9\nCrawl-delay: 7",
            9,
            id="the longest of several",
        ),
        pytest.param("User-agent: A\nCrawl-delay: 99\n\nUser-agent: *\nCrawl-delay: 1", 1, id="each agent has its own"),
        pytest.param("User-agent: A\nUser-agent: LamplighterBot\nCrawl-delay: 4", 4, id="agents share one"),
        pytest.param("User-agent: *\nCrawl-delay: 4\nDisallow: /y\nCrawl-delay: 6", 6, id="before and behind rules"),
        pytest.param("User-agent: *\nCrawl-delay: 4\nUser-agent: LamplighterBot\nDisallow:", None, id="ours has none"),
        pytest.param("Crawl-delay: 4\nUser-agent: *\nDisallow:", None, id="outside any group"),
    ],
)
def test_c10_crawl_delay_goes_to_the_agents_named_above_it(body: str, delay: int | None) -> None:
    assert verdict(body).crawl_delay == (None if delay is None else timedelta(seconds=delay))


def test_c10_crawl_delay_does_not_end_a_group() -> None:
    body = "User-agent: LamplighterBot\nCrawl-delay: 5\nUser-agent: B\nDisallow: /x"

    assert not verdict(body).allowed


def test_sitemaps_are_listed_once_in_order_wherever_they_stand() -> None:
    body = (
        b"Sitemap: https://example.com/b.xml\nUser-agent: X\nDisallow: /\n"
        b"site-map: /a.xml\nSITEMAP: https://example.com/b.xml\nSitemap:\n"
    )

    assert compile_robots(body).sitemaps == ("https://example.com/b.xml", "/a.xml")


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("LamplighterBot/1.0 (+https://example.com/bot)", "LamplighterBot"),
        ("Lamp_lighter-Bot", "Lamp_lighter-Bot"),
        ("Bot2/1", "Bot"),
        ("", ""),
        ("(compatible)", ""),
    ],
)
def test_product_token_is_the_name_before_the_version(user_agent: str, token: str) -> None:
    assert product_token(user_agent) == token


def test_agent_is_matched_as_a_whole_token() -> None:
    body = "User-agent: *\nDisallow: /\nUser-agent: Foo Bar\nAllow: /x"

    assert verdict(body, agent="Foo").allowed
    assert not verdict(body, agent="Foo Bar").allowed


def test_agent_without_a_name_is_everybody() -> None:
    body = "User-agent:\nDisallow: /x\nUser-agent: *\nDisallow: /y"

    assert verdict(body, "/x", agent="").allowed
    assert not verdict(body, "/y", agent="").allowed


@given(body=st.binary(max_size=200), url=st.text(max_size=30))
@settings(deadline=None, max_examples=200)
def test_no_bytes_and_no_url_make_it_fail(body: bytes, url: str) -> None:
    robots = compile_robots(b"User-agent: *\n" + body)

    assert robots.verdict(BOT, url).group == "*"
