"""Lists the processes on this database and the leads they hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lamplighter.model.fleet import Instance, Lead
from lamplighter.rules.fleet import fleet
from lamplighter.store.engine.database import Connection
from lamplighter.store.fleet import instances, leads


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceStatus:
    """A process and its state."""

    instance: Instance
    #: alive, stopping or lost
    state: str
    #: what it does for all
    leads: tuple[Lead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceCounts:
    """How many there are."""

    alive: int
    lost: int


async def everyone(db: Connection, *, now: datetime) -> list[InstanceStatus]:
    """All that are there, and those that were lost within the last day; the longest there first."""
    by_owner: dict[str, list[Lead]] = {}
    for lead, owner in (await leads.holders(db, now=now)).items():
        by_owner.setdefault(owner, []).append(lead)
    return [
        InstanceStatus(instance=each, state=_state(each, now=now), leads=tuple(sorted(by_owner.get(each.id, []))))
        for each in await instances.everyone(db)
    ]


async def counts(db: Connection, *, now: datetime) -> InstanceCounts:
    """How many are there, and how many were lost within the last day."""
    known = await instances.everyone(db)
    lost = sum(fleet.is_lost(each, now=now) for each in known)
    return InstanceCounts(alive=len(known) - lost, lost=lost)


def form(seen: Sequence[InstanceStatus]) -> list[dict[str, object]]:
    """The same as JSON values."""
    return [
        {
            "id": each.instance.id,
            "kind": each.instance.kind,
            "state": each.state,
            "duties": sorted(each.instance.duties),
            "leads": list(each.leads),
            "machine": each.instance.machine,
            "pid": each.instance.pid,
            "version": each.instance.version,
            "started_at": each.instance.started_at,
            "heartbeat_at": each.instance.heartbeat_at,
            "figures": dict(each.instance.figures),
        }
        for each in seen
    ]


def _state(instance: Instance, *, now: datetime) -> str:
    if fleet.is_lost(instance, now=now):
        return "lost"
    return "stopping" if instance.is_stopping else "alive"
