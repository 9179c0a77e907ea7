"""Caches sources for fetching and parsing for a few seconds, so that not every page reads its source."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from lamplighter.crawl.fetching.page_request import PageRequestParts, Secrets, address_of, request_for
from lamplighter.crawl.reading.reader_messages import PageWork
from lamplighter.errors import BadRecipe, BadUrl
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.page import Page
from lamplighter.model.reading import NO_LISTS, RowPosition
from lamplighter.model.recipe import EMPTY, Recipe
from lamplighter.model.record import RecordKind
from lamplighter.model.source import Source
from lamplighter.ports import Clock
from lamplighter.rules.urls import urls
from lamplighter.rules.urls.scope import LinkScope
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.pages import pages
from lamplighter.store.pages.pages import Downloaded
from lamplighter.store.runs import crawl_runs
from lamplighter.store.sources import list_positions, sources

#: an edited recipe takes effect within this many seconds
KEPT_SECONDS = 3.0
_MOST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSource:
    """A source with parsed recipe."""

    url: str
    priority: int
    kind: RecordKind | None
    recipe: Recipe
    scope: LinkScope
    #: our name in robots directives
    agent: str
    #: whose postings it shows, by its name; None when it has only its host's
    organisation: str | None = None
    #: when the last complete run began; None without one, or if the recipe does not need it
    since: datetime | None = None
    #: why its pages cannot be read; None when they can
    trouble: str | None = None
    #: where the lists of its pages are, by template
    lists: Mapping[str, RowPosition] = field(default_factory=dict)
    #: an extra delay of its host after each of this source's requests
    min_delay: timedelta = timedelta(0)

    def request(self, page: Page, *, secrets: Secrets) -> PageRequestParts:
        """The request for a page of this source."""
        return request_for(page.url, page.role, self.recipe, source_url=self.url, since=self.since, secrets=secrets)

    def work(self, page: Downloaded, body: bytes) -> PageWork:
        """The reader's input for a page of this source."""
        return PageWork(
            page_id=page.id,
            url=address_of(page.url, page.role, self.recipe, since=self.since),
            source_url=self.url,
            depth=page.depth,
            body=body,
            content_type=page.content_type,
            robots_tag=page.robots_tag,
            usage=page.usage,
            agent=self.agent,
            kind=self.kind,
            recipe=self.recipe,
            scope=self.scope,
            role=page.role,
            organisation=self.organisation,
            lists=self.lists,
            seen=page.seen_hash,
        )


class SourceCache:
    """Sources by id, a few seconds old at most."""

    def __init__(self, db: Database, *, clock: Clock, agent: str) -> None:
        self._db = db
        self._agent = agent.lower()
        self._clock = clock
        #: one task reads and the others wait, because all miss the same sources at the same time
        self._reading = asyncio.Lock()
        self._known: dict[int, KnownSource] = {}
        self._read_at = float("-inf")

    async def many(self, ids: set[int]) -> dict[int, KnownSource]:
        """Those of these sources that exist."""
        if self._is_old() or not ids <= self._known.keys():
            async with self._reading:
                await self._read(ids)
                return self._among(ids)
        return self._among(ids)

    async def one(self, source_id: int) -> KnownSource | None:
        """This source; None when it does not exist."""
        is_new = self._clock.monotonic() - self._read_at <= KEPT_SECONDS
        if is_new and (known := self._known.get(source_id)) is not None:
            return known
        return (await self.many({source_id})).get(source_id)

    def learn(self, source_id: int, position: RowPosition) -> None:
        """Notes where the list of a source's pages is, which was just stored."""
        if (known := self._known.get(source_id)) is not None:
            self._known[source_id] = replace(known, lists={**known.lists, position.template: position})

    def _is_old(self) -> bool:
        return self._clock.monotonic() - self._read_at > KEPT_SECONDS

    def _among(self, ids: set[int]) -> dict[int, KnownSource]:
        return {source_id: self._known[source_id] for source_id in ids if source_id in self._known}

    async def _read(self, ids: set[int]) -> None:
        if self._is_old():
            # All at once, because otherwise every source would need its own read.
            read_at = self._clock.monotonic()
            # Clear the cache first: a source that cannot be read must not fail every later read of the others.
            remembered, self._known = self._known, {}
            self._known = await self._look(ids | set(list(remembered)[-_MOST:]))
            self._read_at = read_at
        elif missing := ids - self._known.keys():
            self._known |= await self._look(missing)

    async def _look(self, ids: set[int]) -> dict[int, KnownSource]:
        async def work(db: Connection) -> dict[int, KnownSource]:
            rows = await sources.many(db, ids)
            seeds = await pages.seed_urls(db, ids)
            lists = await list_positions.of_sources(db, ids)
            known = {
                source_id: replace(
                    _known(row, seeds.get(source_id, []), self._agent), lists=lists.get(source_id, NO_LISTS)
                )
                for source_id, row in rows.items()
            }
            incremental = [source_id for source_id, source in known.items() if _asks_since(source.recipe)]
            since = await crawl_runs.last_complete(db, incremental) if incremental else {}
            return known | {source_id: replace(known[source_id], since=moment) for source_id, moment in since.items()}

        return await self._db.look(work)


def _asks_since(recipe: Recipe) -> bool:
    return recipe.api is not None and recipe.api.since is not None


def _known(row: Source, seeds: list[str], agent: str) -> KnownSource:
    """Builds the cache entry; an invalid stored URL or recipe stops only this source's pages."""
    hostnames: tuple[str, ...] = ()
    recipe, trouble = EMPTY, None
    try:
        hostnames = _hostnames(row.url, *seeds)
        recipe = parse_recipe(row.recipe)
    except BadUrl as error:
        trouble = f"the source's address cannot be used: {error}"
    except BadRecipe as error:
        trouble = f"the source's recipe cannot be used: {error}"
    return KnownSource(
        url=row.url,
        priority=row.priority,
        kind=row.kind,
        recipe=recipe,
        scope=LinkScope(hostnames=hostnames, max_depth=row.max_depth),
        agent=agent,
        organisation=None if row.is_implicit or row.name in hostnames else row.name,
        trouble=trouble,
        min_delay=row.min_delay or timedelta(0),
    )


def _hostnames(*addresses: str) -> tuple[str, ...]:
    """The hostnames in scope, also of the site a start URL moved to."""
    return tuple(sorted({urls.parse(address).hostname for address in addresses}))
