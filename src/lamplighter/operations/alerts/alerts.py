"""Lists alerts and the state of each alert rule."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lamplighter.crawl.alerts.alert_keeper import AlertSnapshot
from lamplighter.model.alert import Alert, AlertState
from lamplighter.operations.list_part import ListPart
from lamplighter.rules.alerts.alerts import BY_NAME, RULES, AlertRule
from lamplighter.store.alerts import alerts
from lamplighter.store.alerts.alerts import AlertFilter
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import sources

_GRAVEST_FIRST = {"critical": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertView:
    """An alert as people read it."""

    alert: Alert
    #: None for alerts of a rule that is no more
    rule: AlertRule | None
    #: the name of the source or host; empty when it is about the whole installation
    name: str

    @property
    def title(self) -> str:
        """What is wrong, in a few words."""
        return self.rule.title if self.rule is not None else self.alert.rule


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRuleStatus:
    """A rule, and what was seen of it last."""

    rule: AlertRule
    #: the figure that it is about; None if there is none, or before the first check
    value: float | None
    #: for how many it holds
    findings: int


async def listed(db: Connection, wanted: AlertFilter, *, limit: int, offset: int) -> ListPart[AlertView]:
    """Alerts of all times."""
    found, total = await alerts.listed(db, wanted, limit=limit, offset=offset)
    return ListPart(rows=await _views(db, found), total=total)


async def open_ones(db: Connection) -> tuple[list[AlertView], list[AlertView]]:
    """Firing alerts, the most severe and oldest first; and pending alerts."""
    found = await _views(db, await alerts.open_ones(db))
    firing = [each for each in found if each.alert.state is AlertState.FIRING]
    firing.sort(key=lambda each: (_GRAVEST_FIRST[each.alert.severity], each.alert.since))
    return firing, [each for each in found if each.alert.state is AlertState.PENDING]


async def gravest(db: Connection, *, limit: int) -> ListPart[AlertView]:
    """The most severe firing alerts, and how many fire."""
    found, total = await alerts.gravest(db, limit=limit)
    return ListPart(rows=await _views(db, found), total=total)


def rules(watched: AlertSnapshot | None) -> list[AlertRuleStatus]:
    """Every rule, as last seen."""
    seen = watched.seen if watched is not None else {}
    return [
        AlertRuleStatus(
            rule=rule,
            value=seen[rule.name].value if rule.name in seen else None,
            findings=len(seen[rule.name].findings) if rule.name in seen else 0,
        )
        for rule in RULES
    ]


def form(views: Iterable[AlertView]) -> list[dict[str, Any]]:
    """The same as JSON values."""
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
        for each in views
    ]


async def _views(db: Connection, found: Sequence[Alert]) -> list[AlertView]:
    named = [alert.about for alert in found if alert.kind == "source"]
    known = await sources.by_public_ids(db, named) if named else {}
    return [
        AlertView(
            alert=alert,
            rule=BY_NAME.get(alert.rule),
            name=known[alert.about].name if alert.about in known else alert.about,
        )
        for alert in found
    ]
