"""The witness sees each violation once, and none where there is none."""

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from tests.origin import Hit
from tests.witness import Policy, RobotsText, Span, violations
from tests.witness.judge import ANY_HOST, RULES, UNDECLARED
from tests.witness.manners import FewRedirects, FollowedLater, Named, OnlyGet, OwnCredentials
from tests.witness.pace import Concurrency, Gap, RetryAfter
from tests.witness.permission import Allowed, RobotsFirst, RobotsFresh
from tests.witness.rule import Rule
from tests.witness.thrift import Conditional, Once, OwnValidators
from tests.witness.written import AGENT, SITE, log

ROBOTS = "User-agent: *\nDisallow: /private\nAllow: /private/door\n\nUser-agent: OtherBot\nDisallow: /\n"
POLITE = Policy(delay=1.0, robots=[RobotsText(text=ROBOTS)], epoch=0.0)
POLICIES = {SITE: POLITE}
DAY = 24 * 3600

CLEAN = f"""
    0    /robots.txt   200
    1.2  /jobs         200 etag="1" set-cookie='seen=yes; Path=/'
    2.4  /job/1        200 'last-modified=Mon, 16 Nov 2026 08:00:00 GMT'
    3.6  /private/door 200
    4.8  /old          301 location=/older
    6.0  /older        302 location=/new
    7.2  /new          200
    8.4  /busy         503 retry-after=20
    28.6 /busy         429
    59   /slow         200 took=40
    101  /gone         404
    102.2 /gone        404
    3600 /jobs         304 if-none-match="1" cookie=seen=yes
    3602 /job/1        200 'if-modified-since=Mon, 16 Nov 2026 08:00:00 GMT' etag="2"
    {DAY - 10} /new    200
    {DAY + 10} /robots.txt 200
    {DAY + 12} /jobs   304 if-none-match="1"
"""


def test_a_polite_crawl_breaks_no_rule() -> None:
    assert violations(log(CLEAN), POLICIES) == []


BROKEN = [
    pytest.param(f"{DAY + 12.5} /early 200", Gap, "0.4", id="too early after the end of an answer"),
    pytest.param("60 /both 200", Concurrency, "2 at a time", id="while another answer is not there yet"),
    pytest.param("200 /private/room 200", Allowed, "not for LamplighterBot", id="forbidden"),
    pytest.param("10 /too-soon 200", RetryAfter, "18.500 s too early", id="before Retry-After"),
    pytest.param("40 /too-soon 200", RetryAfter, "18.700 s too early", id="soon after a bare 429"),
    pytest.param("200 /jobs 200", Conditional, "were not used", id="without the ETag"),
    pytest.param("200 /job/1 200", Conditional, "were not used", id="without the Last-Modified"),
    pytest.param('200 /new 304 if-none-match="9"', OwnValidators, '"9"', id="a tag of nobody's"),
    pytest.param(
        "200 /new 304 'if-modified-since=Sun, 15 Nov 2026 08:00:00 GMT'",
        OwnValidators,
        "Sun, 15",
        id="a date of nobody's",
    ),
    pytest.param("47 /new 200", Once, "39.7", id="a page without validators again"),
    pytest.param("200 /a 200 method=HEAD", OnlyGet, "HEAD", id="HEAD"),
    pytest.param("200 /a 200 method=POST", OnlyGet, "POST", id="POST"),
    pytest.param("200 /a 200 user-agent=", Named, "''", id="nameless"),
    pytest.param("200 /a 200 user-agent=Mozilla/5.0", Named, "Mozilla", id="in disguise"),
    pytest.param("200 /a 200 cookie=other=1", OwnCredentials, "other=1", id="a cookie of another host's"),
    pytest.param("200 /a 200 'authorization=Basic x'", OwnCredentials, "Basic x", id="a password of another host's"),
]


@pytest.mark.parametrize(("line", "rule", "figure"), BROKEN)
def test_one_line_more_breaks_one_rule_once(line: str, rule: type[Rule], figure: str) -> None:
    # To ask for a page a second time while the host wants to be left alone would break that rule as well.
    told = CLEAN.replace("429", "404").replace("503", "404") if rule is Once else CLEAN

    found = violations(log(told + line), POLICIES)

    assert [(each.rule, each.host) for each in found] == [(rule.name, SITE)]
    assert figure in found[0].why
    assert line.split()[1] in found[0].lines[-1]


def test_a_page_before_robots_txt_is_one_too_early() -> None:
    found = violations(log("0 /jobs 200\n2 /robots.txt 200\n4 /job/1 200"), POLICIES)

    assert [each.rule for each in found] == [RobotsFirst.name]


@pytest.mark.parametrize("answer", ["503", "429 retry-after=1", "-"])
def test_p4_a_robots_txt_that_cannot_be_had_forbids_everything_whatever_an_older_one_said(answer: str) -> None:
    found = violations(log(f"0 /robots.txt 200\n2 /jobs 200\n90 /robots.txt {answer}\n92 /job/1 200"), POLICIES)

    assert [each.rule for each in found] == [RobotsFirst.name]
    assert "/robots.txt" in found[0].lines[0]
    assert "/job/1" in found[0].lines[1]


def test_a_copy_of_robots_txt_is_good_for_a_day() -> None:
    within, beyond = f"{DAY} /jobs 200", f"{DAY + 0.2} /jobs 200"

    assert violations(log(f"0 /robots.txt 200\n{within}"), POLICIES) == []
    found = violations(log(f"0 /robots.txt 200\n{beyond}"), POLICIES)
    assert [each.rule for each in found] == [RobotsFresh.name]


def test_c11_what_counts_is_the_robots_txt_that_was_read_last() -> None:
    changing = replace(POLITE, robots=[RobotsText(text=""), RobotsText(text="User-agent: *\nDisallow: /", since=50)])
    read = "0 /robots.txt 200\n10 /a 200\n60 /b 200\n"

    assert violations(log(read), {SITE: changing}) == []
    found = violations(log(read + "70 /robots.txt 200\n80 /c 200"), {SITE: changing})
    assert [each.rule for each in found] == [Allowed.name]


def test_a_crawl_delay_counts_from_the_request_after_which_it_was_known() -> None:
    slow = replace(POLITE, robots=[RobotsText(text="User-agent: lamplighterbot\nCrawl-delay: 10")])

    found = violations(log("0 /robots.txt 200\n1.2 /a 200\n11.4 /b 200\n20 /c 200"), {SITE: slow})

    assert [each.why for each in found] == ["8.500 s after the request before it, 10.000 s at least were promised"]


def test_several_at_a_time_are_spaced_from_start_to_start() -> None:
    wide = {SITE: replace(POLITE, concurrency=2)}
    begun = "0 /robots.txt 200\n1 /a 200 took=5\n2 /b 200 took=5\n"

    assert violations(log(begun + "6.5 /c 200"), wide) == []
    assert [each.rule for each in violations(log(begun + "3 /c 200"), wide)] == [Concurrency.name]
    assert [each.rule for each in violations(log(begun + "6.5 /c 200\n7.4 /d 200"), wide)] == [Gap.name]


@pytest.mark.parametrize("said", ["120", "Thu, 01 Jan 1970 00:02:03 GMT"], ids=["seconds", "a date"])
def test_b5_retry_after_is_obeyed_in_either_form(said: str) -> None:
    told = f"0 /robots.txt 200\n2.9 /a 429 'retry-after={said}'\n"

    assert violations(log(told + "123.1 /a 200"), POLICIES) == []
    assert len(violations(log(told + "122 /a 200"), POLICIES)) == 1


def test_b6_a_redirect_that_is_delayed_is_not_followed_before_its_time() -> None:
    told = "0 /robots.txt 200\n2 /a 302 location=/b retry-after=60\n"

    assert violations(log(told + "62.2 /b 200"), POLICIES) == []
    assert [each.rule for each in violations(log(told + "60 /b 200"), POLICIES)] == [RetryAfter.name]


def test_b6_nor_is_one_that_leads_to_another_host() -> None:
    other = "other.example"
    told = f"0 /robots.txt 200\n0 /robots.txt 200 host={other}\n2 /a 302 location=http://{other}/b retry-after=60\n"
    both = POLICIES | {other: POLITE}

    assert violations(log(f"{told}62.2 /b 200 host={other}"), both) == []
    found = violations(log(f"{told}60 /b 200 host={other}"), both)
    assert [(each.rule, each.host, each.why) for each in found] == [(FollowedLater.name, other, "2.100 s too early")]


def test_a_date_cannot_be_judged_without_knowing_when_the_log_began() -> None:
    told = log("0 /robots.txt 200\n2 /a 429 'retry-after=Thu, 01 Jan 1970 00:02:00 GMT'\n3 /b 200")

    with pytest.raises(ValueError, match="declare the epoch"):
        violations(told, {SITE: replace(POLITE, epoch=None)})


def test_b3_a_chain_of_redirects_is_followed_five_steps_also_from_host_to_host() -> None:
    other = "other.example"
    chain = "0 /robots.txt 200\n0 /robots.txt 200 host=other.example\n"
    for step in range(6):
        host, following = (SITE, other) if step % 2 == 0 else (other, SITE)
        chain += f"{2 + 2 * step} /{step} 302 host={host} location=http://{following}/{step + 1}\n"
    both = POLICIES | {other: POLITE}

    assert violations(log(chain), both) == []
    found = violations(log(chain + f"14 /6 200 host={SITE}"), both)
    assert [(each.rule, each.why) for each in found] == [(FewRedirects.name, "6 in a row, 5 are allowed")]


def test_b3_a_loop_is_a_chain_too() -> None:
    steps = "".join(f"{2 * step} /{'ab'[step % 2]} 302 location=/{'ab'[1 - step % 2]}\n" for step in range(1, 8))

    found = violations(log("0 /robots.txt 200\n" + steps), {SITE: replace(POLITE, revisit=0)})

    assert [each.rule for each in found] == [FewRedirects.name]


def test_what_a_dead_process_may_not_have_saved_may_be_asked_for_again() -> None:
    told = '0 /robots.txt 200\n2 /a 200 etag="1"\n4 /b 200 took=50\n'
    died = {SITE: replace(POLITE, lost=[Span.of_death(5.0)])}

    assert violations(log(told + "9 /a 200\n11 /b 200"), died) == []
    assert len(violations(log(told + "9 /a 200\n11 /b 200"), POLICIES)) > 2
    assert [each.rule for each in violations(log(told + '9 /a 200 etag="1"\n11 /a 200'), died)] == [
        Conditional.name,
        Once.name,
    ]


def test_a_page_that_lies_about_its_validators_need_not_be_asked_by_them() -> None:
    told = '0 /robots.txt 200\n2 /a 200 etag="1"\n200 /a 200 etag="2"'

    assert len(violations(log(told), POLICIES)) == 1
    assert violations(log(told), {SITE: replace(POLITE, unkept=frozenset({"/a"}))}) == []


def test_a_page_that_two_sources_lead_to_may_be_got_once_more() -> None:
    told = '0 /robots.txt 200\n2 /a 200 etag="1"\n4 /a 200 etag="1"\n'
    shared = {SITE: replace(POLITE, shared={"/a": 1})}

    assert violations(log(told), shared) == []
    assert len(violations(log(told + "6 /a 200"), shared)) == 2


def test_a_host_that_nobody_declared_is_reported_once() -> None:
    told = log("0 /robots.txt 200\n2 /a 200")

    assert [each.rule for each in violations(told, {})] == [UNDECLARED]
    assert violations(told, {ANY_HOST: POLITE}) == []


def test_a_violation_shows_both_lines() -> None:
    found = violations(log('0 /robots.txt 200\n2 /a 200 etag="1"\n2.5 /b 200'), POLICIES)

    assert str(found[0]).splitlines() == [
        f"{SITE}: the gap is below the policy: 0.400 s after the request before it, 1.000 s at least were promised",
        f"    2.000-2.100 {SITE} GET /a -> 200 user-agent='{AGENT}' / etag='\"1\"'",
        f"    2.500-2.600 {SITE} GET /b -> 200 user-agent='{AGENT}'",
    ]


def test_every_rule_is_broken_by_some_test() -> None:
    broken_alone = {RobotsFirst, RobotsFresh}

    assert {case.values[1] for case in BROKEN} | broken_alone == set(RULES)


def test_a_long_log_costs_little() -> None:
    lines = 10_000
    hit = log("0 /robots.txt 200")[0]
    long = [hit] + [
        Hit(
            number=number,
            method="GET",
            path=f"/job/{number % 1_000}",
            headers={"host": SITE, "user-agent": AGENT} | ({"if-none-match": '"1"'} if number > 1_000 else {}),
            arrived=20.0 * number,
            in_flight=1,
            answered=20.0 * number + 0.5,
            finished=20.0 * number + 0.6,
            status=200 if number <= 1_000 else 304,
            sent={"etag": '"1"'},
        )
        for number in range(1, lines)
    ]

    began = time.process_time()
    found = violations(long, {SITE: replace(POLITE, robots=[RobotsText(text=ROBOTS)])})
    took = time.process_time() - began

    assert {each.rule for each in found} == {RobotsFresh.name}
    # A million within a minute of one core, on the slowest machine that anybody tests on.
    assert took < 60 * lines / 1_000_000


def test_the_witness_imports_nothing_of_the_program_that_it_judges() -> None:
    look = "import sys, tests.witness; print([name for name in sys.modules if name.startswith('lamplighter')])"

    seen = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True, timeout=60)

    assert seen.stdout.strip() == "[]"
