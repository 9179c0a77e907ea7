"""All sources at a glance, one lamp each, grouped by state, host or tag."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from lamplighter.errors import NotFound
from lamplighter.model.crawl import JobFacts, SourceState
from lamplighter.rules.sources import source_state
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import lamps

_NAME = itemgetter(1)
#: groups with fewer lamps stand together at the end, or nobody would see the others
_LEAST = 2


class LampOrder(StrEnum):
    """What lamps are grouped by."""

    STATE = "state"
    HOST = "host"
    TAG = "tag"


class Lamp(NamedTuple):
    """A source."""

    id: int
    name: str
    state: SourceState


class LampGroup(NamedTuple):
    """Lamps that belong together."""

    name: str
    lamps: Sequence[Lamp]


async def grid(db: Connection, order: LampOrder, *, now: datetime) -> list[LampGroup]:
    """All lamps by groups."""
    rows = await lamps.everything(db, now=now)
    lit = {lamp.id: lamp for lamp in sorted(map(_lamp, rows), key=_NAME)}
    groups: dict[str, list[Lamp]] = defaultdict(list)
    match order:
        case LampOrder.STATE:
            for lamp in lit.values():
                groups[lamp.state].append(lamp)
            return [LampGroup(state, groups[state]) for state in _STATES if groups[state]]
        case LampOrder.HOST:
            host_of = {row.id: row.host or "" for row in rows}
            for lamp in lit.values():
                groups[host_of[lamp.id]].append(lamp)
        case LampOrder.TAG:
            tagged = await lamps.tags(db)
            for tag, source_ids in tagged.items():
                groups[tag] = sorted((lit[source_id] for source_id in source_ids if source_id in lit), key=_NAME)
            bare = lit.keys() - set(chain.from_iterable(tagged.values()))
            groups[""] = sorted((lit[source_id] for source_id in bare), key=_NAME)
    return _large_first(groups.items(), rest="one source each" if order is LampOrder.HOST else "other tags, or none")


def _large_first(groups: Iterable[tuple[str, list[Lamp]]], *, rest: str) -> list[LampGroup]:
    """The groups by their size, the small ones together at the end."""
    found = [LampGroup(name, each) for name, each in groups if each]
    large = [group for group in found if group.name and len(group.lamps) >= _LEAST]
    small = [lamp for group in found if not group.name or len(group.lamps) < _LEAST for lamp in group.lamps]
    ordered = sorted(large, key=lambda group: (-len(group.lamps), group.name))
    return [*ordered, LampGroup(rest, small)] if small else ordered


async def changed(db: Connection, *, since: datetime, now: datetime) -> list[Lamp]:
    """The lamps whose job changed since then."""
    return [_lamp(row) for row in await lamps.everything(db, now=now, since=since)]


async def public_id(db: Connection, number: int) -> str:
    """The public id of a lamp's source; NotFound."""
    found = await lamps.public_id(db, number)
    if found is None:
        raise NotFound(f"there is no source number {number}", code="source_not_found")
    return found


def _lamp(row: Any) -> Lamp:
    # Unpacked, as a row's names are looked up one by one: there may be ten thousand.
    source_id, name, enabled, _, *facts = row
    return Lamp(source_id, name, _state(enabled, *facts))


@cache
def _state(enabled: bool, waits: bool | None, state: str | None, *facts: Any) -> SourceState:
    """The state by the facts of a source and its job, of which ten thousand sources have few different ones."""
    if state is None:
        return SourceState.NEVER_RUN if enabled else SourceState.DISABLED
    return source_state.state_of(JobFacts(state, *facts)._replace(waits=bool(waits)))


#: the most pressing first
_STATES = (
    SourceState.FAILING,
    SourceState.WARNING,
    SourceState.BLOCKED,
    SourceState.WAITING,
    SourceState.RUNNING,
    SourceState.HEALTHY,
    SourceState.NEVER_RUN,
    SourceState.PAUSED,
    SourceState.DISABLED,
)
