"""The places of the dashboard, in the order in which the menu shows them."""

from typing import NamedTuple


class Place(NamedTuple):
    """An entry of the menu."""

    name: str
    path: str
    #: what else belongs to it: first words of paths
    also: tuple[str, ...] = ()
    #: whom it is shown to
    role: str = "viewer"


PLACES = (
    Place("Sources", "/", ("/sources",)),
    Place("Crawl", "/crawl", ("/runs", "/instances")),
    Place("Schedule", "/schedule"),
    Place("Pages", "/pages", ("/links",)),
    Place("Records", "/records"),
    Place("Hosts", "/hosts"),
    Place("Proxies", "/proxies"),
    Place("Events", "/events"),
    Place("Alerts", "/alerts"),
    Place("Audit", "/audit", role="operator"),
    Place("Settings", "/settings"),
)


def place_of(path: str) -> Place | None:
    """Where in the menu a page belongs; None for those that stand outside."""
    for place in PLACES:
        if path == place.path or any(path == word or path.startswith(f"{word}/") for word in _words(place)):
            return place
    return None


def _words(place: Place) -> tuple[str, ...]:
    return place.also if place.path == "/" else (place.path, *place.also)
