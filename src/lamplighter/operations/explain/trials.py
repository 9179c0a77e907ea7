"""Trials: fetch and parse a page without writing anything. Requests are as polite as in a run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lamplighter.crawl.fetching.page_request import request_for
from lamplighter.crawl.fleet.secret_values import SecretBook
from lamplighter.crawl.reading.reader_messages import Digest, PageWork
from lamplighter.crawl.reading.reader_pool import NoReader, ReaderPool, Unreadable
from lamplighter.errors import BadInput, SecretRefused
from lamplighter.extract.recipes.api_headers import secret_names
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.fetch.door import Door
from lamplighter.fetch.fetcher import FetchResult
from lamplighter.model.access import Stamp
from lamplighter.model.page import HeldBody
from lamplighter.model.reading import PageRole, RowPosition
from lamplighter.model.recipe import Recipe
from lamplighter.model.record import RecordKind
from lamplighter.model.visit import NO_VALIDATORS, Fetched, NotModified, ResponseHead, Visit
from lamplighter.operations.records.records import unstored_to_json
from lamplighter.ports import Archive
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.scope import LinkScope
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import pages
from lamplighter.store.sources import list_positions

#: records that a simulation shows
SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchTrial:
    """The response to a request for headers only."""

    url: str
    #: where the redirects led
    final_url: str
    status: int | None = None
    size_bytes: int | None = None
    etag: str | None = None
    last_modified: str | None = None
    content_type: str | None = None
    took_ms: int | None = None
    #: why there is no response
    trouble: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What a page would give."""

    url: str
    #: everything that was found, also what a run would not keep
    records_found: int = 0
    #: the first few, with the method and confidence of every field; `state` is "guess" where a run would not keep it
    records: Sequence[Mapping[str, Any]] = ()
    #: reason -> how many records it keeps out
    skipped: Mapping[str, int] = field(default_factory=dict)
    links: int = 0
    next_page: str | None = None
    #: feeds that the page announces
    feeds: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    #: why the page was read as this list; empty when it was not read by its form
    because: str = ""
    #: the page had not changed, so the body that we hold was read
    from_archive: bool = False
    #: secrets that the recipe names and that are not set
    missing_secrets: tuple[str, ...] = ()
    #: why nothing could be read
    trouble: str | None = None

    @property
    def records_kept(self) -> int:
        """How many of them a run would keep."""
        return self.records_found - sum(self.skipped.values())


async def test_fetch(door: Door, url: str) -> FetchTrial:
    """Requests the headers of a URL, following redirects."""
    target = urls.parse(url).href
    peeked = await door.fetcher.peek_once(target)
    if not isinstance(peeked, ResponseHead):
        return FetchTrial(url=target, final_url=peeked.url, trouble=peeked.detail)
    length = peeked.headers.get("content-length", "")
    return FetchTrial(
        url=target,
        final_url=peeked.url,
        status=peeked.status,
        size_bytes=int(length) if length.isdecimal() and len(length) < 16 else None,
        etag=peeked.headers.get("etag"),
        last_modified=peeked.headers.get("last-modified"),
        content_type=peeked.headers.get("content-type"),
        took_ms=round(peeked.took.total_seconds() * 1000),
        trouble="the site does not respond to requests for headers only" if peeked.status in (405, 501) else None,
    )


class Simulator:
    """Reads a page as a run would, and keeps nothing of it."""

    def __init__(self, db: Database, *, door: Door, pool: ReaderPool, archive: Archive, secrets: SecretBook) -> None:
        self._db = db
        self._door = door
        self._pool = pool
        self._archive = archive
        self._secrets = secrets

    async def simulate(
        self,
        url: str,
        *,
        now: datetime,
        recipe: Mapping[str, Any] | None = None,
        kind: RecordKind | None = None,
        by: str = "trial",
    ) -> Simulation:
        """What the page at this URL would give under this recipe; the request is conditional if we hold a body."""
        target = urls.parse(url).href
        instructions = parse_recipe(dict(recipe or {}))
        missing = tuple(sorted(name for name in secret_names(instructions) if name not in self._secrets))
        if missing:
            return Simulation(url=target, missing_secrets=missing, trouble=f"no secret {', '.join(missing)} is set")
        try:
            sample = await self.ask(target, instructions, stamp=Stamp(by, now))
        except BadInput as error:
            return Simulation(url=target, trouble=str(error))
        return await self.read(sample, instructions, kind=kind, now=now)

    async def ask(self, url: str, recipe: Recipe, *, stamp: Stamp) -> "TrialSample":
        """Fetches the page as a run under this recipe would; who names a secret of other hosts is audited."""
        held = await self._held(url) if recipe.api is None else None
        try:
            request = request_for(url, PageRole.SEED, recipe, source_url=url, since=None, secrets=self._secrets)
        except SecretRefused as refused:
            await self._secrets.note_refusal(refused, url=url, stamp=stamp)
            raise
        validators = held[0].validators if held is not None else NO_VALIDATORS
        response = await self._door.fetcher.fetch_once(request.url, validators=validators, headers=request.headers)
        return TrialSample(url=url, response=response, body=_body(response.visit, held))

    async def read(
        self, sample: "TrialSample", recipe: Recipe, *, kind: RecordKind | None, now: datetime
    ) -> Simulation:
        """What a run would find in the response."""
        body = sample.body
        if body is None:
            trouble = str(getattr(sample.response.visit, "detail", "the server sent no page"))
            return Simulation(url=sample.url, trouble=trouble)
        work = await self._work(body, sample.url, recipe, kind)
        return await self._digested(sample.url, work, from_archive=body.from_archive, now=now)

    async def simulate_stored(
        self, url: str, *, source_url: str, recipe: Mapping[str, Any], kind: RecordKind | None, now: datetime
    ) -> Simulation:
        """What the stored copy of a page would give; sends no request."""
        target = urls.parse(url).href
        instructions = parse_recipe(dict(recipe))
        held = await self._held(target)
        if held is None:
            return Simulation(url=target, trouble="this page is not stored; run the source, then try again")
        known, content = held
        body = TrialBody(target, content, known.content_type, known.robots_tag, known.usage, from_archive=True)
        work = await self._work(body, source_url, instructions, kind)
        return await self._digested(target, work, from_archive=True, now=now)

    async def _work(self, body: "TrialBody", source_url: str, recipe: Recipe, kind: RecordKind | None) -> PageWork:
        async with self._db.read() as db:
            lists = await list_positions.of_address(db, source_url, kind)
        return work_of(body, source_url, recipe, kind, agent=self._door.robots.token.lower(), lists=lists)

    async def _digested(self, url: str, work: PageWork, *, from_archive: bool, now: datetime) -> Simulation:
        try:
            (digest,) = await self._pool.read([work], now=now)
        except (Unreadable, NoReader) as error:
            return Simulation(url=url, trouble=str(error))
        return simulation_of(url, digest, from_archive=from_archive)

    async def _held(self, url: str) -> tuple[HeldBody, bytes] | None:
        async with self._db.read() as db:
            known = (await pages.bodies(db, [urls.url_key(url)])).get(url)
        content = await self._archive.get(known.key) if known is not None else None
        return (known, content) if known is not None and content is not None else None


@dataclass(frozen=True, slots=True)
class TrialBody:
    """A page's body, and what came with it."""

    url: str
    content: bytes
    content_type: str | None
    robots_tag: str | None
    usage: str | None
    from_archive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSample:
    """The response to a trial, to be parsed under one recipe or another."""

    url: str
    response: FetchResult
    #: None if the response has no body
    body: TrialBody | None


def _body(visit: Visit, held: tuple[HeldBody, bytes] | None) -> TrialBody | None:
    if isinstance(visit, NotModified) and held is not None:
        known, content = held
        return TrialBody(visit.url, content, known.content_type, known.robots_tag, known.usage, from_archive=True)
    if isinstance(visit, Fetched):
        return TrialBody(visit.url, visit.body, visit.content_type, visit.robots_tag, visit.usage)
    return None


def work_of(
    body: TrialBody,
    source_url: str,
    recipe: Recipe,
    kind: RecordKind | None,
    *,
    agent: str,
    lists: Mapping[str, RowPosition],
) -> PageWork:
    """A body as a reader gets it: the source's own page."""
    return PageWork(
        page_id=0,
        url=body.url,
        source_url=source_url,
        depth=0,
        body=body.content,
        content_type=body.content_type,
        robots_tag=body.robots_tag,
        usage=body.usage,
        agent=agent,
        kind=kind,
        recipe=recipe,
        scope=LinkScope(hostnames=(urls.parse(body.url).hostname,), max_depth=1),
        lists=lists,
    )


def simulation_of(url: str, digest: Digest, *, from_archive: bool, shown: int = SHOWN) -> Simulation:
    """What a run would make of what a reader found; with the first `shown` records."""
    guesses = [skip.guess for skip in digest.skipped if skip.guess is not None]
    return Simulation(
        url=url,
        records_found=len(digest.records) + len(digest.skipped),
        records=[unstored_to_json(record) for record in [*digest.records, *guesses][:shown]],
        skipped=dict(Counter(skip.reason for skip in digest.skipped)),
        links=len(digest.links),
        next_page=next(iter(digest.listings), None),
        feeds=digest.feeds,
        warnings=digest.warnings,
        because=digest.because,
        from_archive=from_archive,
        trouble=f"this is {digest.obstacle}, not content" if digest.obstacle else None,
    )
