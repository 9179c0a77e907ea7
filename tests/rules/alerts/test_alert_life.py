"""When does an alert begin, fire, grow quiet and clear?"""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.model.alert import Alert, AlertFinding, RuleCheck, Severity
from lamplighter.rules.alerts.alert_life import (
    MANY,
    AlertBegins,
    AlertClears,
    AlertFires,
    AlertForgotten,
    AlertQuiets,
    AlertResumes,
    AlertReworded,
    step,
)
from lamplighter.rules.alerts.alerts import BY_NAME, MOST_SUBJECTS
from tests.moments import NOON

MINUTE = timedelta(minutes=1)
#: holds for 15 minutes before it fires, and is quiet for one before it clears
SILENT = "SourceSilent"
#: fires at once
DRIFT = "SourceDrifting"


def finding(subject: str = "source:a", *, value: float = 1.0, detail: str = "a is silent") -> AlertFinding:
    return AlertFinding(subject=subject, value=value, detail=detail)


def an_alert(
    subject: str = "source:a",
    *,
    rule: str = SILENT,
    since: datetime = NOON,
    fired_at: datetime | None = None,
    quiet_since: datetime | None = None,
) -> Alert:
    return Alert(
        id=1,
        public_id="an id",
        rule=rule,
        subject=subject,
        severity=Severity.WARNING,
        since=since,
        fired_at=fired_at,
        quiet_since=quiet_since,
        cleared_at=None,
        value=1.0,
        detail="a is silent",
    )


def kinds(
    alerts: Sequence[Alert], *findings: AlertFinding, rule: str = SILENT, whole: bool = True, after: int = 0
) -> list[type]:
    seen = {rule: RuleCheck(findings=findings, is_whole=whole)}
    return [type(change) for change in step(alerts, seen, now=NOON + after * MINUTE)]


@pytest.mark.parametrize(
    ("alert", "is_found", "minutes", "expected"),
    [
        pytest.param(None, False, 0, [], id="nothing was, nothing is"),
        pytest.param(None, True, 0, [AlertBegins], id="new"),
        pytest.param(an_alert(), True, 14, [], id="held for too short a time"),
        pytest.param(an_alert(), True, 15, [AlertFires], id="held for long enough"),
        pytest.param(an_alert(), False, 14, [AlertForgotten], id="over before it fired"),
        pytest.param(an_alert(fired_at=NOON), True, 99, [], id="fired, and holds on"),
        pytest.param(an_alert(fired_at=NOON), False, 1, [AlertQuiets], id="fired, and for the first time not found"),
        pytest.param(an_alert(fired_at=NOON, quiet_since=NOON), False, 0, [], id="not quiet for long enough"),
        pytest.param(an_alert(fired_at=NOON, quiet_since=NOON), False, 1, [AlertClears], id="quiet for long enough"),
        pytest.param(
            an_alert(fired_at=NOON, quiet_since=NOON), True, 1, [AlertResumes], id="found again before it cleared"
        ),
    ],
)
def test_what_becomes_of_an_alert(alert: Alert | None, is_found: bool, minutes: int, expected: list[type]) -> None:
    assert kinds([alert] if alert else [], *([finding()] if is_found else []), after=minutes) == expected


def test_a_rule_without_a_hold_fires_at_once() -> None:
    (begun,) = step([], {DRIFT: RuleCheck(findings=(finding(),))}, now=NOON)

    assert isinstance(begun, AlertBegins)
    assert begun.fires


def test_a_rule_with_a_hold_does_not() -> None:
    (begun,) = step([], {SILENT: RuleCheck(findings=(finding(),))}, now=NOON)

    assert isinstance(begun, AlertBegins)
    assert not begun.fires


def test_what_is_found_is_told_anew_when_it_reads_otherwise() -> None:
    assert kinds([an_alert()], finding(value=2.0)) == [AlertReworded]
    assert kinds([an_alert()], finding(detail="a is very silent")) == [AlertReworded]


def test_a_rule_that_was_not_looked_at_keeps_its_alerts() -> None:
    assert step([an_alert(fired_at=NOON)], {DRIFT: RuleCheck()}, now=NOON + 99 * MINUTE) == []


def test_an_alert_stays_when_a_look_could_not_see_everything() -> None:
    assert kinds([an_alert(fired_at=NOON)], whole=False, after=99) == []


def test_alerts_of_a_rule_that_is_no_more_are_over() -> None:
    changes = step([an_alert(rule="Old", fired_at=NOON), an_alert(rule="Old")], {}, now=NOON)

    assert [type(change) for change in changes] == [AlertClears, AlertForgotten]


def many(count: int) -> list[AlertFinding]:
    return [finding(f"source:{number}", detail=f"{number} is silent") for number in range(count)]


def test_as_many_as_may_be_are_told_one_by_one() -> None:
    assert kinds([], *many(MOST_SUBJECTS)) == [AlertBegins] * MOST_SUBJECTS


def test_a_thousand_are_told_as_one() -> None:
    (begun,) = step([], {SILENT: RuleCheck(findings=tuple(many(1000)))}, now=NOON)

    assert isinstance(begun, AlertBegins)
    assert (begun.finding.subject, begun.finding.value) == (MANY, 1000)
    assert begun.finding.detail == (
        "A source is silent, 1,000 cases: 0 is silent; 1 is silent; 2 is silent; 3 is silent; 4 is silent; and 995 more"
    )


def test_where_not_all_were_looked_at_there_are_at_least_so_many() -> None:
    words = [
        begun.finding.detail
        for is_whole in (True, False)
        for begun in step([], {SILENT: RuleCheck(findings=tuple(many(1000)), is_whole=is_whole)}, now=NOON)
        if isinstance(begun, AlertBegins)
    ]

    assert ["at least 1,000 cases" in each for each in words] == [False, True]


def test_those_told_one_by_one_stay_when_there_are_many() -> None:
    alone = an_alert("source:0", fired_at=NOON)

    changes = step([alone], {SILENT: RuleCheck(findings=tuple(many(1000)))}, now=NOON)

    assert [type(change) for change in changes] == [AlertReworded, AlertBegins]


def test_many_stay_one_until_they_are_half_as_few() -> None:
    of_many = an_alert(MANY, fired_at=NOON)

    assert kinds([of_many], *many(MOST_SUBJECTS // 2 + 1)) == [AlertReworded]
    assert kinds([of_many], *many(MOST_SUBJECTS // 2)) == [AlertBegins] * (MOST_SUBJECTS // 2) + [AlertQuiets]


@given(st.lists(st.integers(1, 20), max_size=12))
def test_whoever_is_told_that_it_fired_is_told_once_that_it_cleared(spells: list[int]) -> None:
    """However long the spells in which a condition holds and does not: fired, cleared, fired, cleared, and so on."""
    found = [place % 2 == 0 for place, minutes in enumerate(spells) for _ in range(minutes)] + [False] * 3
    told: list[type] = []
    alert: Alert | None = None

    for minute, is_found in enumerate(found):
        now = NOON + minute * MINUTE
        for change in step([alert] if alert else [], {SILENT: RuleCheck(findings=(finding(),) * is_found)}, now=now):
            alert = _after(change, now)
            told += [type(change)] if isinstance(change, AlertFires | AlertClears) else []

    longest = max(spells[::2], default=0)
    assert told == [AlertFires, AlertClears] * (len(told) // 2)
    assert bool(told) is (longest * MINUTE > BY_NAME[SILENT].hold)
    assert alert is None


def _after(change: object, now: datetime) -> Alert | None:
    """The alert after a change, as the store would have it."""
    match change:
        case AlertBegins():
            return an_alert(since=now)
        case AlertFires(alert=old):
            return an_alert(since=old.since, fired_at=now)
        case AlertQuiets(alert=old):
            return an_alert(since=old.since, fired_at=old.fired_at, quiet_since=now)
        case AlertResumes(alert=old):
            return an_alert(since=old.since, fired_at=old.fired_at)
    return None
