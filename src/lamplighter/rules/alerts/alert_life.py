"""How alerts change with each new snapshot: which begin, fire, go quiet, clear?

A new finding waits for its rule's hold before it fires; a finding that ends before that is forgotten, as if it had
never been. An alert that fired clears when it has been quiet for its rule's quiet time, so that a figure that jitters
around its threshold notifies people once. When a rule holds for very many subjects, they are reported as one alert.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from lamplighter.model.alert import Alert, AlertFinding, RuleCheck
from lamplighter.rules.alerts.alerts import BY_NAME, MOST_SUBJECTS, AlertRule

#: the subject of the one alert that is shown in place of many
MANY = "many"
#: how many of the many subjects are named
_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfAlert:
    alert: Alert


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertBegins:
    """The finding is new."""

    rule: AlertRule
    finding: AlertFinding
    #: its rule has no hold, so it fires at once
    fires: bool


class AlertFires(_OfAlert):
    """The finding has held for as long as its rule requires."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertReworded(_OfAlert):
    """The finding still holds, and its sentence has changed."""

    finding: AlertFinding


class AlertQuiets(_OfAlert):
    """The finding no longer holds, but not yet for long enough to clear the alert."""


class AlertResumes(_OfAlert):
    """The finding holds again before its alert was cleared."""


class AlertClears(_OfAlert):
    """The alert had fired and is over."""


class AlertForgotten(_OfAlert):
    """The finding was over before its alert fired."""


Change = AlertBegins | AlertFires | AlertReworded | AlertQuiets | AlertResumes | AlertClears | AlertForgotten


def step(alerts: Iterable[Alert], seen: Mapping[str, RuleCheck], *, now: datetime) -> list[Change]:
    """The changes that a snapshot leads to. Rules without a result keep their alerts; removed rules lose them."""
    by_rule: dict[str, list[Alert]] = {}
    for alert in alerts:
        by_rule.setdefault(alert.rule, []).append(alert)
    changes: list[Change] = []
    for name in sorted(by_rule.keys() - BY_NAME.keys()):
        changes += _over(by_rule[name], quiet=timedelta(0), now=now)
    for name, check in seen.items():
        changes += _of_rule(BY_NAME[name], by_rule.get(name, []), check, now=now)
    return changes


def _of_rule(rule: AlertRule, alerts: Sequence[Alert], check: RuleCheck, *, now: datetime) -> Iterator[Change]:
    known = {alert.subject: alert for alert in alerts}
    findings = _as_reported(rule, check, known)
    for finding in findings:
        alert = known.get(finding.subject)
        if alert is None:
            yield AlertBegins(rule=rule, finding=finding, fires=not rule.hold)
        else:
            yield from _still_holds(rule, alert, finding, now=now)
    if check.is_whole:
        found = {finding.subject for finding in findings}
        yield from _over([alert for alert in alerts if alert.subject not in found], quiet=rule.quiet, now=now)


def _as_reported(rule: AlertRule, check: RuleCheck, known: Mapping[str, Alert]) -> list[AlertFinding]:
    """The findings one by one; of very many only those already known, and one summary for all.

    Once they are summarised, the number must fall to half before they are listed one by one again, so that a number
    that jitters does not change the form.
    """
    findings = check.findings
    bound = MOST_SUBJECTS // 2 if MANY in known else MOST_SUBJECTS
    if len(findings) <= bound:
        return list(findings)
    first = "; ".join(finding.detail for finding in findings[:_NAMED])
    at_least = "" if check.is_whole else "at least "
    words = f"{rule.title}, {at_least}{len(findings):,} cases: {first}; and {len(findings) - _NAMED:,} more"
    known_ones = [finding for finding in findings if finding.subject in known]
    return [*known_ones, AlertFinding(subject=MANY, value=float(len(findings)), detail=words)]


def _still_holds(rule: AlertRule, alert: Alert, finding: AlertFinding, *, now: datetime) -> Iterator[Change]:
    if alert.quiet_since is not None:
        yield AlertResumes(alert=alert)
    if (alert.value, alert.detail) != (finding.value, finding.detail):
        yield AlertReworded(alert=alert, finding=finding)
    if alert.fired_at is None and now - alert.since >= rule.hold:
        yield AlertFires(alert=alert)


def _over(alerts: Iterable[Alert], *, quiet: timedelta, now: datetime) -> Iterator[Change]:
    for alert in alerts:
        if alert.fired_at is None:
            yield AlertForgotten(alert=alert)
        elif now - (alert.quiet_since or now) >= quiet:
            yield AlertClears(alert=alert)
        elif alert.quiet_since is None:
            yield AlertQuiets(alert=alert)
