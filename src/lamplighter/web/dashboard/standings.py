"""How the parts of the installation are, each in a word: what /health says, for people."""

from typing import Any, NamedTuple

import orjson

from lamplighter.web import health
from lamplighter.web.view import ServiceView

#: words of /health -> what they mean
_TONES = {
    **dict.fromkeys(("ok", "up", "embedded", "sqlite", "postgresql"), "good"),
    **dict.fromkeys(("away", "low"), "bad"),
    "off": "idle",
}


class Standing(NamedTuple):
    """A part, and how it is."""

    name: str
    word: str
    tone: str
    title: str


async def standings_of(view: ServiceView) -> list[Standing]:
    """All parts, as a monitor would be told at this moment."""
    known: dict[str, Any] = orjson.loads((await health.health(view)).body)
    if known["status"] != "ok":
        return [Standing("database", known["status"], "bad", known["reason"])]
    disk, events, index = known["disk"], known["events"], known["index"]
    return [
        _standing("database", known["database"], "what everything stands in"),
        _standing("disk", disk["state"], f"{disk['free_mb']} MB free; fetching stops below {disk['least_free_mb']} MB"),
        _standing("archive", known["archive"]["state"], "where page bodies are kept"),
        _standing("queue", known["queue"]["state"], "how processes wake each other"),
        _standing("mirror", known["mirror"]["state"], "the copy for outside readers"),
        _index(index),
        _events(events),
    ]


def _standing(name: str, word: str, title: str) -> Standing:
    return Standing(name, word, _TONES.get(word, "fair"), title)


def _index(known: dict[str, Any]) -> Standing:
    found = _standing("index", known["state"], "what records are found in")
    if known.get("parked"):
        return found._replace(tone="fair", title=f"it refuses {known['parked']} records; see lamplighter index status")
    waiting = known.get("pending")
    return found._replace(word=f"{found.word}, {waiting} waiting") if waiting else found


def _events(known: dict[str, Any]) -> Standing:
    word = {"closed": "ok", "open": "away"}.get(known["state"], known["state"])
    found = _standing("events", word, "facts about sources, on their way to whoever acts on them")
    lag, dead = known.get("lag"), known.get("dead_letters")
    if dead:
        return found._replace(word=f"{dead} put aside", tone="fair", title="see Events, dead letters")
    return found._replace(word=f"{word}, {lag} waiting") if lag else found
