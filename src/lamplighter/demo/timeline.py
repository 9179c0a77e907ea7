"""When does the demo content change? Pure functions of the clock, so that every process sees the same web.

Two patterns carry all sites: *posts* are published one after another for ever, *lives* fill a fixed number of places,
each replaced at its own time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

#: the instant from which all demo time is counted; any fixed moment of the past would do
EPOCH = datetime(2000, 1, 1, tzinfo=UTC)

#: changing it gives another, equally fictional web
SEED = "lamplighter demo 1"

T = TypeVar("T")


@lru_cache(maxsize=32768)
def draw(*keys: object) -> float:
    """The random number in [0, 1) that belongs to these keys, always the same one."""
    text = "\x1f".join(map(str, (SEED, *keys)))
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest()) / 2**48


def pick(options: Sequence[T], *keys: object) -> T:
    """The option that belongs to these keys."""
    return options[int(draw(*keys) * len(options))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """One occupation of a place, from its birth to that of its successor."""

    slot: int
    generation: int
    born: datetime
    dies: datetime


def life_of(place: str, slot: int, generation: int, *, slots: int, lasts: timedelta) -> Life:
    """The life of that generation; births are staggered so that one of the slots changes every lasts/slots or so."""
    phase = (slot + draw(place, "phase", slot)) / slots
    born = _whole_second(EPOCH + lasts * (generation + phase))
    dies = _whole_second(EPOCH + lasts * (generation + 1 + phase))
    return Life(slot=slot, generation=generation, born=born, dies=dies)


def lives_at(now: datetime, place: str, *, slots: int, lasts: timedelta) -> tuple[Life, ...]:
    """The current occupant of each slot."""
    latest = (now - EPOCH) // lasts
    lives = []
    for slot in range(slots):
        life = life_of(place, slot, latest, slots=slots, lasts=lasts)
        if life.born > now:
            life = life_of(place, slot, latest - 1, slots=slots, lasts=lasts)
        lives.append(life)
    return tuple(lives)


def published_at(place: str, number: int, every: timedelta) -> datetime:
    """When post `number` is published: once in each period, at an irregular moment of it."""
    return _whole_second(EPOCH + every * (number + draw(place, "moment", number)))


def latest_post(now: datetime, place: str, every: timedelta) -> int:
    """The number of the newest published post."""
    number = (now - EPOCH) // every
    return number if published_at(place, number, every) <= now else number - 1


def _whole_second(moment: datetime) -> datetime:
    # HTTP dates have no fractions; a Last-Modified must not lie before the change it reports.
    return moment.replace(microsecond=0)
