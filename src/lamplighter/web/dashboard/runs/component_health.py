"""The health of the installation's components, as on /health."""

from typing import Any, NamedTuple

import orjson

from lamplighter.web import health
from lamplighter.web.view import ServiceView

#: state in /health -> its colour
_TONES = {
    **dict.fromkeys(("ok", "up", "embedded", "sqlite", "postgresql"), "good"),
    **dict.fromkeys(("away", "low"), "bad"),
    "off": "idle",
}


class ComponentHealth(NamedTuple):
    """A component and its health."""

    name: str
    word: str
    tone: str
    title: str


async def standings_of(view: ServiceView) -> list[ComponentHealth]:
    """The health of all components now."""
    known: dict[str, Any] = orjson.loads((await health.health(view)).body)
    if known["status"] != "ok":
        return [ComponentHealth("database", known["status"], "bad", known["reason"])]
    disk, events, index = known["disk"], known["events"], known["index"]
    return [
        _standing("database", known["database"], "stores sources, pages and records"),
        _standing("disk", disk["state"], f"{disk['free_mb']} MB free; fetching stops below {disk['least_free_mb']} MB"),
        _standing("archive", known["archive"]["state"], "stores page bodies"),
        _standing("queue", known["queue"]["state"], "wakes other processes"),
        _standing("mirror", known["mirror"]["state"], "mirrors the crawl state in Redis"),
        _index(index),
        _events(events),
    ]


def _standing(name: str, word: str, title: str) -> ComponentHealth:
    return ComponentHealth(name, word, _TONES.get(word, "fair"), title)


def _index(known: dict[str, Any]) -> ComponentHealth:
    found = _standing("index", known["state"], "the search engine for records")
    if known.get("parked"):
        return found._replace(tone="fair", title=f"refused records: {known['parked']}; see lamplighter index status")
    waiting = known.get("pending")
    return found._replace(word=f"{found.word}, {waiting} waiting") if waiting else found


def _events(known: dict[str, Any]) -> ComponentHealth:
    word = {"closed": "ok", "open": "away"}.get(known["state"], known["state"])
    found = _standing("events", word, "delivers events about sources")
    lag, dead = known.get("lag"), known.get("dead_letters")
    if dead:
        return found._replace(word=f"dead letters: {dead}", tone="fair", title="see Events, dead letters")
    return found._replace(word=f"{word}, {lag} waiting") if lag else found
