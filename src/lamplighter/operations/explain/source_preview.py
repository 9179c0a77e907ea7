"""Previews a source while the operator fills in its form.

Operators type, stop, and type on. Each URL is fetched once, however often the form is submitted: the response is kept
for a few minutes and parsed again under every recipe that is tried on it. Of one host one URL is fetched at a time,
and a URL that the form no longer shows by then is not fetched.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from weakref import WeakValueDictionary

import orjson

from lamplighter.errors import NotPossible
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.access import Stamp
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import RecordKind
from lamplighter.model.visit import Failed, NotModified, Refused
from lamplighter.operations.explain.trials import Simulation, Simulator, TrialBody, TrialSample
from lamplighter.operations.sources.source_input import naming
from lamplighter.ports import Clock
from lamplighter.rules.urls import urls

#: how long a response is reused instead of fetched again
KEPT_FOR = timedelta(minutes=5)
#: responses that are kept, each as large as a page may be
_MOST_KEPT = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLook:
    """The response of the site, and what a run would make of it."""

    url: str
    #: where the redirects led
    final_url: str
    asked_at: datetime
    simulation: Simulation
    #: the line of robots.txt that allowed the request; None when none was made
    allowed_by: str | None = None
    #: None if there was no response
    status: int | None = None
    content_type: str | None = None
    size_bytes: int | None = None
    took: timedelta | None = None
    #: why no request was sent
    refused: str | None = None
    #: why the request failed
    failed: str | None = None


class FirstLooks:
    """Previews for forms that add a source, with a cache of responses."""

    def __init__(self, simulator: Simulator, *, clock: Clock) -> None:
        self._simulator = simulator
        self._clock = clock
        self._kept: OrderedDict[str, tuple[datetime, TrialSample]] = OrderedDict()
        #: host -> lock of the request in flight
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def look(
        self,
        url: str,
        *,
        recipe: Mapping[str, Any] | None,
        kind: RecordKind | None,
        by: str = "trial",
        is_wanted: Callable[[], Awaitable[bool]],
    ) -> FirstLook | None:
        """What the page would give; None if the preview is no longer wanted when its turn comes."""
        with naming("url"):
            target = urls.parse(url)
        with naming("recipe"):
            instructions = parse_recipe(dict(recipe or {}))
            found = await self._sample(target, instructions, recipe or {}, is_wanted, by=by)
        if found is None:
            return None
        asked_at, sample = found
        simulation = await self._simulator.read(sample, instructions, kind=kind, now=self._clock.now())
        return _look(sample, simulation, asked_at)

    def kept(self, url: str) -> TrialBody:
        """The page that was fetched for a preview a moment ago; NotPossible if it was not, or is forgotten."""
        found = self._kept.get(_key(urls.parse(url), {}))
        body = found[1].body if found is not None else None
        if body is None:
            raise NotPossible(f"{url[:200]} was not fetched in the last minutes; try it again", code="page_not_stored")
        return body

    async def _sample(
        self,
        target: urls.WebUrl,
        instructions: Recipe,
        recipe: Mapping[str, Any],
        is_wanted: Callable[[], Awaitable[bool]],
        *,
        by: str = "trial",
    ) -> tuple[datetime, TrialSample] | None:
        """A recent response of the site, or a new one."""
        key = _key(target, recipe)
        lock = self._asking.setdefault(target.host_key, asyncio.Lock())
        async with lock:
            kept = self._kept.get(key)
            if kept is not None and kept[0] + KEPT_FOR > self._clock.now():
                return kept
            if not await is_wanted():
                return None
            sample = await self._simulator.ask(target.href, instructions, stamp=Stamp(by, self._clock.now()))
            self._keep(key, sample)
            return self._kept[key]

    def _keep(self, key: str, sample: TrialSample) -> None:
        self._kept[key] = (self._clock.now(), sample)
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)


def _key(target: urls.WebUrl, recipe: Mapping[str, Any]) -> str:
    """What two previews with the same response share: only the part about an API changes what is sent."""
    return f"{target.href} {orjson.dumps(recipe.get('api')).decode()}"


def _look(sample: TrialSample, simulation: Simulation, asked_at: datetime) -> FirstLook:
    visit, body = sample.response.visit, sample.body
    return FirstLook(
        url=sample.url,
        final_url=visit.url,
        asked_at=asked_at,
        simulation=simulation,
        allowed_by=sample.response.allowed_by,
        status=304 if isinstance(visit, NotModified) else getattr(visit, "status", None),
        content_type=body.content_type if body else None,
        size_bytes=len(body.content) if body else None,
        took=None if isinstance(visit, Refused) else visit.took,
        refused=visit.detail if isinstance(visit, Refused) else None,
        failed=visit.detail if isinstance(visit, Failed) else None,
    )
