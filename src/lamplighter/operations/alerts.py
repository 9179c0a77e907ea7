"""What is wrong now, what was, and how does each rule stand?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lamplighter.crawl.watch import Watched
from lamplighter.model.alert import Alert, AlertState
from lamplighter.rules.alerts import BY_NAME, RULES, Rule
from lamplighter.store import alerts, sources
from lamplighter.store.alerts import Wanted
from lamplighter.store.database import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An alert as people read it."""

    alert: Alert
    #: None for alerts of a rule that is no more
    rule: Rule | None
    #: the name of the source or host; empty when it is about the whole installation
    name: str

    @property
    def title(self) -> str:
        """What is wrong, in a few words."""
        return self.rule.title if self.rule is not None else self.alert.rule


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertPage:
    """A part of them, and how many there are."""

    alerts: Sequence[Told]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleStanding:
    """A rule, and what was seen of it last."""

    rule: Rule
    #: the figure that it is about; None when there is none, or nobody has looked
    value: float | None
    #: for how many it holds
    findings: int


async def listed(db: Connection, wanted: Wanted, *, limit: int, offset: int) -> AlertPage:
    """Alerts of all times."""
    found, total = await alerts.listed(db, wanted, limit=limit, offset=offset)
    return AlertPage(alerts=await _told(db, found), total=total)


async def open_ones(db: Connection) -> tuple[list[Told], list[Told]]:
    """Those that fire, the gravest and longest first; and those that have not held for long enough."""
    found = await _told(db, await alerts.open_ones(db))
    firing = [each for each in found if each.alert.state is AlertState.FIRING]
    return sorted(firing, key=_gravity), [each for each in found if each.alert.state is AlertState.PENDING]


async def gravest(db: Connection, *, limit: int) -> AlertPage:
    """The first of those that fire, in the same order, and how many fire."""
    found, total = await alerts.gravest(db, limit=limit)
    return AlertPage(alerts=await _told(db, found), total=total)


def rules(watched: Watched | None) -> list[RuleStanding]:
    """Every rule, as last seen."""
    seen = watched.seen if watched is not None else {}
    return [
        RuleStanding(
            rule=rule,
            value=seen[rule.name].value if rule.name in seen else None,
            findings=len(seen[rule.name].findings) if rule.name in seen else 0,
        )
        for rule in RULES
    ]


def form(told: Iterable[Told]) -> list[dict[str, Any]]:
    """The same as programs read it."""
    return [
        {
            "id": each.alert.public_id,
            "rule": each.alert.rule,
            "state": each.alert.state,
            "severity": each.alert.severity,
            "subject": each.alert.subject,
            "subject_name": each.name,
            "title": each.title,
            "detail": each.alert.detail,
            "matters": each.rule.matters if each.rule is not None else "",
            "remedy": each.rule.remedy if each.rule is not None else "",
            "value": each.alert.value,
            "since": each.alert.since,
            "fired_at": each.alert.fired_at,
            "cleared_at": each.alert.cleared_at,
        }
        for each in told
    ]


async def _told(db: Connection, found: Sequence[Alert]) -> list[Told]:
    named = [alert.about for alert in found if alert.kind == "source"]
    known = await sources.by_public_ids(db, named) if named else {}
    return [
        Told(
            alert=alert,
            rule=BY_NAME.get(alert.rule),
            name=known[alert.about].name if alert.about in known else alert.about,
        )
        for alert in found
    ]


_GRAVEST_FIRST = {"critical": 0, "warning": 1, "info": 2}


def _gravity(told: Told) -> tuple[int, Any]:
    return _GRAVEST_FIRST[told.alert.severity], told.alert.since
