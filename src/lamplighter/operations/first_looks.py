"""What does a site answer to somebody who is about to watch it?

People type, stop, and type on. Each address is asked for once, however often its form is looked at: what the site
answered is kept for a few minutes and read again under every recipe that is tried on it. Of one host one address is
asked for at a time, and whoever has gone on to another one by then is not asked for.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakValueDictionary

import orjson

from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import RecordKind
from lamplighter.model.visit import Failed, NotModified, Refused
from lamplighter.operations.source_wish import naming
from lamplighter.operations.trials import Sample, Simulation, Simulator
from lamplighter.ports import Clock
from lamplighter.rules import urls

#: how long an answer is read again instead of asked for again
KEPT_FOR = timedelta(minutes=5)
#: answers that are kept, each as large as a page may be
_MOST_KEPT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLook:
    """What the site answered, and what a run would make of it."""

    url: str
    #: where the redirects led
    final_url: str
    asked_at: datetime
    simulation: Simulation
    #: the line of robots.txt that allowed the request; None when none was made
    allowed_by: str | None = None
    #: None when there was no answer
    status: int | None = None
    content_type: str | None = None
    size_bytes: int | None = None
    took: timedelta | None = None
    #: we did not ask, and that is why
    refused: str | None = None
    #: we asked, and got nothing usable
    failed: str | None = None


class FirstLooks:
    """The trials of those who are about to add a source."""

    def __init__(self, simulator: Simulator, *, clock: Clock) -> None:
        self._simulator = simulator
        self._clock = clock
        self._kept: OrderedDict[str, tuple[datetime, Sample]] = OrderedDict()
        #: host -> held by whoever asks it
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def look(
        self,
        url: str,
        *,
        recipe: Mapping[str, Any] | None,
        kind: RecordKind | None,
        is_wanted: Callable[[], Awaitable[bool]],
    ) -> FirstLook | None:
        """What the page would give; None if nobody wants to know any more by the time that it can be asked for."""
        with naming("url"):
            target = urls.parse(url)
        with naming("recipe"):
            instructions = parse_recipe(dict(recipe or {}))
            found = await self._sample(target, instructions, recipe or {}, is_wanted)
        if found is None:
            return None
        asked_at, sample = found
        simulation = await self._simulator.read(sample, instructions, kind=kind, now=self._clock.now())
        return _look(sample, simulation, asked_at)

    async def _sample(
        self,
        target: urls.WebUrl,
        instructions: Recipe,
        recipe: Mapping[str, Any],
        is_wanted: Callable[[], Awaitable[bool]],
    ) -> tuple[datetime, Sample] | None:
        """What the site answered a little while ago, or answers now."""
        # Only the part about an API changes what is sent.
        key = f"{target.href} {orjson.dumps(recipe.get('api')).decode()}"
        lock = self._asking.setdefault(target.host_key, asyncio.Lock())
        async with lock:
            kept = self._kept.get(key)
            if kept is not None and kept[0] + KEPT_FOR > self._clock.now():
                return kept
            if not await is_wanted():
                return None
            sample = await self._simulator.ask(target.href, instructions)
            self._keep(key, sample)
            return self._kept[key]

    def _keep(self, key: str, sample: Sample) -> None:
        self._kept[key] = (self._clock.now(), sample)
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)


def _look(sample: Sample, simulation: Simulation, asked_at: datetime) -> FirstLook:
    visit, body = sample.asked.visit, sample.body
    return FirstLook(
        url=sample.url,
        final_url=visit.url,
        asked_at=asked_at,
        simulation=simulation,
        allowed_by=sample.asked.allowed_by,
        status=304 if isinstance(visit, NotModified) else getattr(visit, "status", None),
        content_type=body.content_type if body else None,
        size_bytes=len(body.content) if body else None,
        took=None if isinstance(visit, Refused) else visit.took,
        refused=visit.detail if isinstance(visit, Refused) else None,
        failed=visit.detail if isinstance(visit, Failed) else None,
    )
