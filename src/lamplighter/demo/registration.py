"""The sources that the demo registers, with their recipes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from lamplighter.model.record import RecordKind

_TABLE_RECIPE = {
    "items": "table#vacancies tbody tr",
    "fields": {
        "title": {"selector": "td.title a"},
        "url": {"selector": "td.title a", "attribute": "href"},
        "organisation": {"selector": "td.institute"},
        "location": {"selector": "td.place"},
        "deadline": {"selector": "td.deadline"},
    },
    "exclude": ["/intranet/"],
}
#: fits the layout before the relaunch, where each vacancy had a table of its own: now it finds the first one only
_EARLIER_RECIPE = _TABLE_RECIPE | {"items": "table tbody tr:first-child"}
_API_RECIPE = {
    "items": "items",
    "fields": {
        "title": {"selector": "title"},
        "url": {"selector": "url"},
        "guid": {"selector": "id"},
        "author": {"selector": "author.name"},
        "published_at": {"selector": "published_at"},
        "tags": {"selector": "tags", "many": True},
        "description": {"selector": "text"},
    },
    "next": "next",
    "expects": "json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoSource:
    """A source of the demo web, ready to be registered."""

    name: str
    url: str
    kind: RecordKind
    #: as a recipe file would say it; None needs no recipe
    recipe: Mapping[str, Any] | None = None
    #: short on purpose: the sites are ours, and a visitor of the demo is waiting
    min_delay: timedelta = timedelta(milliseconds=200)
    max_pages: int
    #: links followed from its page, and in a past that is made in advance: the more, the longer it takes to make
    max_depth: int = 3
    past_depth: int
    #: it is read no more rarely than this
    max_interval: timedelta = timedelta(days=1)
    tags: tuple[str, ...] = ("demo",)


def demo_sources(first_port: int, *, has_past: bool = False) -> list[DemoSource]:
    """One source for each site of a demo web that starts at this port, in the order of the ports.

    With a past, the source of Meridian Labs was set up before its relaunch: for the list alone, as it was then.
    """

    def at(offset: int, path: str) -> str:
        return f"http://127.0.0.1:{first_port + offset}{path}"

    return [
        DemoSource(name="Harbour Relief", url=at(0, "/jobs"), kind=RecordKind.JOB, max_pages=60, past_depth=3),
        DemoSource(
            name="Meridian Labs",
            url=at(1, "/vacancies"),
            kind=RecordKind.JOB,
            recipe=_EARLIER_RECIPE if has_past else _TABLE_RECIPE,
            max_depth=0 if has_past else 3,
            max_pages=20,
            past_depth=0,
        ),
        DemoSource(
            name="The Lantern",
            url=at(2, "/feed.xml"),
            kind=RecordKind.ARTICLE,
            max_pages=40,
            past_depth=0,
            max_interval=timedelta(minutes=10),
        ),
        DemoSource(name="Copper Kettle", url=at(3, "/"), kind=RecordKind.PRODUCT, max_pages=80, past_depth=1),
        DemoSource(
            name="Open Posts",
            url=at(4, "/api/posts"),
            kind=RecordKind.ARTICLE,
            recipe=_API_RECIPE,
            max_pages=10,
            past_depth=3,
            max_interval=timedelta(minutes=30),
        ),
    ]
