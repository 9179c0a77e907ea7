"""A one-time crawl of a URL: finds or adds its source and opens a run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import NotPossible
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange
from lamplighter.model.source import Source
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.hosts import hosts
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.source_fields import kind_of
from lamplighter.rules.urls import urls
from lamplighter.store.access import audit_log
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs
from lamplighter.store.sources import sources as stored_sources

#: marks sources that exist only because of a one-time crawl
TAG = "cli"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOnceRequest:
    """What is asked for; None leaves it as it is, or to the default for a new source."""

    url: str
    kind: str | None = None
    max_depth: int | None = None
    max_pages: int | None = None
    recipe: Mapping[str, Any] | None = None
    delay_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCrawl:
    """The run of a one-time crawl."""

    run_id: int
    source_id: int
    url: str
    host_key: str
    #: an earlier crawl was interrupted, and this one goes on with it
    is_resumed: bool


async def open_request(
    db: Connection, submitted: CrawlOnceRequest, *, stamp: Stamp, deadline: timedelta, source_defaults: SourceDefaults
) -> OpenedCrawl:
    """Opens a run for the request, or takes up the one that is still open."""
    target = urls.parse(submitted.url)
    await crawl_pause.refuse_runs(db)
    source_id = await _source(db, submitted, target.href, stamp=stamp)
    if submitted.delay_ms is not None:
        await hosts.set_policy(db, target.host_key, HostChange(min_delay_ms=submitted.delay_ms), stamp=stamp)
    job = await crawl_jobs.of_source(db, source_id)
    going_on = await crawl_runs.open_of_job(db, job.id) if job is not None else None
    run_id = going_on or await runs.run_now(
        db, source_id, now=stamp.now, deadline=deadline, source_defaults=source_defaults
    )
    return OpenedCrawl(
        run_id=run_id, source_id=source_id, url=target.href, host_key=target.host_key, is_resumed=going_on is not None
    )


async def _source(db: Connection, submitted: CrawlOnceRequest, url: str, *, stamp: Stamp) -> int:
    new = sources.NewSource(
        url=url,
        kind=kind_of(submitted.kind),
        recipe=submitted.recipe or {},
        max_pages=submitted.max_pages,
        enabled=False,
        tags=(TAG,),
    )
    if submitted.max_depth is not None:
        new = replace(new, max_depth=submitted.max_depth)
    known = await stored_sources.by_url(db, url)
    if known is None:
        return await sources.add(db, new, stamp=stamp)
    recipe = recipe_to_json(parse_recipe(new.recipe))
    becomes = replace(known, kind=new.kind, max_depth=new.max_depth, max_pages=new.max_pages, recipe=recipe)
    changes = stored_sources.difference(known, becomes)
    if known.id in {source.id for source in await stored_sources.all_with_tag(db, TAG)}:
        if changes:
            await stored_sources.save(db, known, becomes, now=stamp.now)
            await audit_log.write(db, stamp, "source.change", url, after=changes)
    else:
        _refuse_other_orders(known, submitted, changes)
    return known.id


def _refuse_other_orders(known: Source, submitted: CrawlOnceRequest, changes: Mapping[str, Any]) -> None:
    """A source that is watched keeps its own orders: one crawl must not change what the schedule does for ever."""
    said = ("kind", "max_depth", "max_pages", "recipe")
    other = [name for name in said if name in changes and getattr(submitted, name) is not None]
    if other:
        raise NotPossible(
            f"{known.url} is a watched source ({known.name!r}) with its own {', '.join(other)}; "
            f"crawl it without setting {'it' if len(other) == 1 else 'them'}, or remove the source first"
        )
