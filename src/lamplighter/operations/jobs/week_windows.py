"""The week as a timetable of windows: when each host, tag and source may be crawled."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from lamplighter.model import window_json
from lamplighter.model.schedule import Window
from lamplighter.rules.schedule import window, window_text
from lamplighter.store.engine.database import Connection
from lamplighter.store.sources import window_lists
from lamplighter.store.sources.window_lists import StoredWindows

#: of hosts, of tags, of overrides, of sources
_MOST_SHOWN = 100
#: the week of each is shown on the clocks that its own windows name
OWN_ZONE = "own"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekTimetable:
    """The week of a host, tag or source that has windows."""

    #: host, tag, source, or override: what a person set for a source's job
    by: str
    name: str
    #: of a source; None of hosts and tags
    public_id: str | None
    #: the windows as people write them
    words: str
    #: stored windows that are not in force, and why
    complaints: tuple[str, ...]
    #: on whose clocks the stretches are
    zone: str
    #: hours from Monday's midnight
    stretches: tuple[tuple[float, float], ...]
    #: where in that week we are
    now_hour: float
    is_open: bool
    #: when it shuts, or opens; None when it does not within reach
    turns_at: datetime | None


async def week(db: Connection, *, zone: str, now: datetime) -> list[WeekTimetable]:
    """The week of each host, tag and source; `zone` is an IANA time zone, or OWN_ZONE."""
    place = None if zone == OWN_ZONE else window_json.known_zone(zone)
    return [_timetable(said, place, now) for said in await window_lists.all_said(db, limit=_MOST_SHOWN)]


def _timetable(said: StoredWindows, zone: str | None, now: datetime) -> WeekTimetable:
    windows, complaints = window_json.loaded(said.windows)
    name = zone or _own_zone(windows)
    place = ZoneInfo(name)
    monday = window.monday_of(now, place)
    is_open = window.is_open(windows, now)
    return WeekTimetable(
        by=said.by,
        name=said.name,
        public_id=said.public_id,
        words=window_text.describe(windows),
        complaints=complaints,
        zone=name,
        stretches=tuple(window.open_stretches(windows, monday=monday, zone=place)),
        now_hour=window.hour_of(now, monday=monday, zone=place),
        is_open=is_open,
        turns_at=window.closes_at(windows, now) if is_open else window.next_opening(windows, now),
    )


def _own_zone(windows: Iterable[Window]) -> str:
    """The zone of the first of them; most name only one."""
    return next((each.zone for each in windows), "UTC")
