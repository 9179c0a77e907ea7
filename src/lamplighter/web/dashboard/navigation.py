"""The menu of the dashboard."""

from typing import NamedTuple


class MenuEntry(NamedTuple):
    """A menu entry."""

    name: str
    path: str
    #: further path prefixes that belong to it
    also: tuple[str, ...] = ()
    #: the lowest role that sees it
    role: str = "viewer"


PLACES = (
    MenuEntry("Sources", "/", ("/sources",)),
    MenuEntry("Crawl", "/crawl", ("/runs", "/instances")),
    MenuEntry("Schedule", "/schedule"),
    MenuEntry("Pages", "/pages", ("/links",)),
    MenuEntry("Records", "/records"),
    MenuEntry("Hosts", "/hosts"),
    MenuEntry("Proxies", "/proxies"),
    MenuEntry("Events", "/events"),
    MenuEntry("Alerts", "/alerts"),
    MenuEntry("Audit", "/audit", role="operator"),
    MenuEntry("Settings", "/settings"),
)


def place_of(path: str) -> MenuEntry | None:
    """The menu entry of a path, None if there is none."""
    for place in PLACES:
        if path == place.path or any(path == word or path.startswith(f"{word}/") for word in _words(place)):
            return place
    return None


def _words(place: MenuEntry) -> tuple[str, ...]:
    return place.also if place.path == "/" else (place.path, *place.also)
