"""For whom does each rule hold?"""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from lamplighter.model.alert import RuleCheck
from lamplighter.model.alert_figures import (
    AlertFigures,
    BrokenHost,
    BrokenSource,
    DeadLetters,
    DriftingSource,
    HostProxies,
    LostRobots,
    SilentSource,
)
from lamplighter.model.fleet import CrawlPause, Duty, Instance
from lamplighter.rules.alerts import alert_findings
from lamplighter.rules.alerts.alerts import RULES, AlertRule
from tests.moments import NOON

HOUR = timedelta(hours=1)


def instance(machine: str = "one", *, age: timedelta = timedelta(0), **figures: float) -> Instance:
    return Instance(
        id=f"worker-{machine}",
        kind="worker",
        machine=machine,
        pid=1,
        duties=frozenset(Duty),
        version="1",
        started_at=NOON,
        heartbeat_at=NOON - age,
        figures=figures,
        is_stopping=False,
    )


#: nothing is wrong
WELL = AlertFigures(
    events_waiting=0,
    event_errors=0,
    jobs_failed=0,
    runs_ended=0,
    runs_failed=0,
    silent=[],
    drifting=[],
    broken_sources=[],
    broken_hosts=[],
    lost_robots=[],
    proxies=[],
    proxy_requests={},
    proxies_were_watched=True,
    dead_letters=DeadLetters(events=0, queue=None, index=0, notifications=0),
    crawl_pause=None,
    instances=[instance()],
)


def look(rule: str, **wrong: object) -> RuleCheck:
    return alert_findings.look(replace(WELL, **wrong), now=NOON)[rule]  # type: ignore[arg-type]


def details(rule: str, **wrong: object) -> list[str]:
    return [finding.detail for finding in look(rule, **wrong).findings]


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    seen = alert_findings.look(WELL, now=NOON)

    assert {name for name, each in seen.items() if each.findings} == set()
    assert set(seen) == {rule.name for rule in RULES if rule.is_seen_inside}


@pytest.mark.parametrize(
    ("rule", "just_right", "too_much"),
    [
        ("HighConsumerLag", {"events_waiting": 100}, {"events_waiting": 101}),
        ("HighEventProcessingErrors", {"event_errors": 30}, {"event_errors": 31}),
        ("JobFailureSpike", {"jobs_failed": 10}, {"jobs_failed": 11}),
        ("LowCrawlSuccessRate", {"runs_ended": 20, "runs_failed": 2}, {"runs_ended": 20, "runs_failed": 3}),
        ("LowCrawlSuccessRate", {"runs_ended": 2, "runs_failed": 1}, {"runs_ended": 10, "runs_failed": 5}),
        ("DomainShortOfProxies", {"proxies": [HostProxies("a", 3, 9)]}, {"proxies": [HostProxies("a", 2, 9)]}),
        ("DomainProxyFailures", {"proxy_requests": {"a": (20, 2)}}, {"proxy_requests": {"a": (20, 3)}}),
        ("DomainProxyFailures", {"proxy_requests": {"a": (19, 19)}}, {"proxy_requests": {"a": (20, 20)}}),
    ],
)
def test_a_threshold_must_be_passed(rule: str, just_right: dict[str, object], too_much: dict[str, object]) -> None:
    assert details(rule, **just_right) == []
    assert len(details(rule, **too_much)) == 1


def test_a_figure_is_known_also_where_it_is_as_it_should_be() -> None:
    assert look("HighConsumerLag", events_waiting=7).value == 7
    assert look("LowCrawlSuccessRate", runs_ended=4, runs_failed=1).value == 0.75
    assert look("LowCrawlSuccessRate").value is None


@pytest.mark.parametrize(
    ("working", "known", "words"),
    [
        (0, 4, "a.example: none of its 4 proxies work"),
        (1, 2, "a.example: 1 of its 2 proxies works"),
        (0, 0, "a.example must be fetched through proxies but has none"),
    ],
)
def test_a_host_without_enough_proxies_is_found_also_when_it_has_none(working: int, known: int, words: str) -> None:
    assert details("DomainShortOfProxies", proxies=[HostProxies("a.example", working, known)]) == [words]


def test_what_was_not_watched_for_long_enough_ends_no_alert() -> None:
    assert not look("DomainProxyFailures", proxies_were_watched=False).is_whole


def test_a_list_that_reached_its_bound_ends_no_alert() -> None:
    row = DriftingSource("id", "a", NOON)

    assert look("SourceDrifting", drifting=[row] * 999).is_whole
    assert not look("SourceDrifting", drifting=[row] * 1000).is_whole


def test_an_open_breaker_is_told_whether_it_is_of_a_host_or_of_a_source() -> None:
    elsewhere = BrokenSource("id 2", "Dock", 5, NOON + HOUR)
    host = BrokenHost("quay.example", 7, "7 failures in a row, the last: no answer", 2)

    assert details("BreakerOpen", broken_hosts=[host], broken_sources=[elsewhere]) == [
        "quay.example is not fetched for now: 7 failures in a row, the last: no answer; 2 sources start there",
        "Dock was paused after 5 failed rounds; the next try is at 2026-03-14 13:00 UTC",
    ]


def test_a_host_with_two_origins_is_told_of_once() -> None:
    lost = [LostRobots(f"{scheme}://a", "a", None, NOON, 1) for scheme in ("http", "https")]

    assert details("RobotsUnreachable", lost_robots=lost) == [
        "http://a/robots.txt could not be fetched at 2026-03-14 12:00 UTC; 1 source starts there"
    ]


def test_the_machine_with_the_full_disk_is_named_once_and_not_when_it_is_lost() -> None:
    here = [*[instance("a", disk_low=1.0, disk_free_mb=80.0)] * 2, instance("b", disk_low=0.0)]
    lost = instance("c", age=HOUR, disk_low=1.0)

    assert details("DiskLow", instances=[*here, lost]) == ["a has 80 MB of its disk left"]


def test_what_was_given_up_is_told_by_where_it_lies() -> None:
    dead = DeadLetters(events=2, queue=0, index=0, notifications=1)

    found = look("DeadLetters", dead_letters=dead).findings

    assert [(each.subject, each.value) for each in found] == [("letters:events", 2), ("letters:notifications", 1)]


def test_dead_letters_end_no_alert_while_their_stream_is_away() -> None:
    away = DeadLetters(events=0, events_are_known=False, queue=0, index=0, notifications=0)

    assert look("DeadLetters").is_whole
    assert not look("DeadLetters", dead_letters=away).is_whole


def test_a_duty_that_nobody_living_has_is_found() -> None:
    fetcher = replace(instance(), duties=frozenset({Duty.FETCH}))
    dead = instance("b", age=HOUR)

    assert details("NobodyOnDuty", instances=[fetcher, dead]) == [
        "no process schedules runs",
        "no process parses fetched pages",
    ]


def test_silence_is_not_judged_while_all_crawling_is_paused() -> None:
    paused = CrawlPause(since=NOON, paused_by="anna", reason="move")
    silent = [SilentSource("id", "a", NOON, NOON, HOUR)]

    seen = alert_findings.look(replace(WELL, crawl_pause=paused, silent=silent), now=NOON)

    assert "SourceSilent" not in seen
    assert [each.detail for each in seen["CrawlingPaused"].findings] == [
        "all crawling is paused since 2026-03-14 12:00 UTC by anna: move"
    ]


@pytest.mark.parametrize(
    ("last", "pace", "words"),
    [
        (NOON, HOUR / 4, "a has had no successful run since 2026-03-14 12:00 UTC, but should have one every 15 min"),
        (NOON, 3 * HOUR, "a has had no successful run since 2026-03-14 12:00 UTC, but should have one every 3 h"),
        (
            None,
            72 * HOUR,
            "a never had a successful run; its first run was due 2026-03-14 12:00 UTC, but should have one every "
            "3 days",
        ),
    ],
)
def test_silence_is_told_with_since_when(last: datetime | None, pace: timedelta, words: str) -> None:
    assert details("SourceSilent", silent=[SilentSource("id", "a", last, NOON, pace)]) == [words]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_says_why_it_matters_and_what_to_do(rule: AlertRule) -> None:
    assert all(text.endswith((".", "?")) and len(text) > 30 for text in (rule.matters, rule.remedy))
    assert rule.name in rule.promql or "crawler_" in rule.promql


def test_a_server_that_does_not_answer_is_named_once_with_what_that_means() -> None:
    processes = [instance("one", away_redis=1.0, away_search=0.0), instance("two", away_redis=1.0), instance("three")]

    (found,) = look("ServerAway", instances=processes).findings

    assert (found.subject, found.value) == ("server:redis", 2.0)
    assert found.detail.startswith("Redis does not answer 2 processes (one, two): events wait")


def test_a_lost_process_says_nothing_about_servers() -> None:
    assert details("ServerAway", instances=[instance(age=HOUR, away_redis=1.0)]) == []
