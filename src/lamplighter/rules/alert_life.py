"""What becomes of alerts when one looks again: which begin, fire, grow quiet, clear?

A finding that is new waits for its rule's hold before it fires; one that ends before that is forgotten, as if it had
never been. One that fired clears when it has been quiet for its rule's quiet, so that a figure that jitters around its
threshold tells people once. When a rule holds for very many subjects, they are told as one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.model.alert import Alert, Finding, Seen
from lamplighter.rules.alerts import BY_NAME, MOST_SUBJECTS, Rule

#: the subject of the one that stands for many
MANY = "many"
#: of many, so many are named
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Begins:
    """It was not found before."""

    rule: Rule
    finding: Finding
    #: it need not hold any longer to fire
    fires: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fires:
    """It has held for long enough."""

    alert: Alert


@dataclass(frozen=True, slots=True, kw_only=True)
class Retells:
    """It holds on, and reads otherwise by now."""

    alert: Alert
    finding: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiets:
    """It holds no more, but not for long enough to be cleared."""

    alert: Alert


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumes:
    """It holds again, before it was cleared."""

    alert: Alert


@dataclass(frozen=True, slots=True, kw_only=True)
class Clears:
    """It had fired, and is over."""

    alert: Alert


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgets:
    """It is over before it fired."""

    alert: Alert


Change = Begins | Fires | Retells | Quiets | Resumes | Clears | Forgets


def step(alerts: Iterable[Alert], seen: Mapping[str, Seen], *, now: datetime) -> list[Change]:
    """What follows from a look. Rules that were not looked at keep their alerts; rules that are no more lose them."""
    by_rule: dict[str, list[Alert]] = {}
    for alert in alerts:
        by_rule.setdefault(alert.rule, []).append(alert)
    changes: list[Change] = []
    for name in sorted(by_rule.keys() - BY_NAME.keys()):
        changes += _over(by_rule[name], quiet=timedelta(0), now=now)
    for name, looked in seen.items():
        changes += _of_rule(BY_NAME[name], by_rule.get(name, []), looked, now=now)
    return changes


def _of_rule(rule: Rule, alerts: Sequence[Alert], looked: Seen, *, now: datetime) -> Iterator[Change]:
    known = {alert.subject: alert for alert in alerts}
    findings = _as_told(rule, looked, known)
    for finding in findings:
        alert = known.get(finding.subject)
        if alert is None:
            yield Begins(rule=rule, finding=finding, fires=not rule.hold)
        else:
            yield from _goes_on(rule, alert, finding, now=now)
    if looked.is_whole:
        found = {finding.subject for finding in findings}
        yield from _over([alert for alert in alerts if alert.subject not in found], quiet=rule.quiet, now=now)


def _as_told(rule: Rule, looked: Seen, known: Mapping[str, Alert]) -> list[Finding]:
    """The findings one by one; of very many, those that people know already, and one that stands for all.

    Only half as many are told one by one again, so that a number that jitters does not change the way of telling.
    """
    findings = looked.findings
    bound = MOST_SUBJECTS // 2 if MANY in known else MOST_SUBJECTS
    if len(findings) <= bound:
        return list(findings)
    first = "; ".join(finding.detail for finding in findings[:_NAMED])
    at_least = "" if looked.is_whole else "at least "
    words = f"{rule.title}, {at_least}{len(findings):,} times over: {first}; and {len(findings) - _NAMED:,} more"
    told = [finding for finding in findings if finding.subject in known]
    return [*told, Finding(subject=MANY, value=float(len(findings)), detail=words)]


def _goes_on(rule: Rule, alert: Alert, finding: Finding, *, now: datetime) -> Iterator[Change]:
    if alert.quiet_since is not None:
        yield Resumes(alert=alert)
    if (alert.value, alert.detail) != (finding.value, finding.detail):
        yield Retells(alert=alert, finding=finding)
    if alert.fired_at is None and now - alert.since >= rule.hold:
        yield Fires(alert=alert)


def _over(alerts: Iterable[Alert], *, quiet: timedelta, now: datetime) -> Iterator[Change]:
    for alert in alerts:
        if alert.fired_at is None:
            yield Forgets(alert=alert)
        elif now - (alert.quiet_since or now) >= quiet:
            yield Clears(alert=alert)
        elif alert.quiet_since is None:
            yield Quiets(alert=alert)
