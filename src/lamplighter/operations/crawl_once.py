"""A crawl that somebody asks for once: the source it needs, found or made, and its run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from lamplighter.crawl.norms import Norms
from lamplighter.errors import NotPossible
from lamplighter.extract.recipes.recipe import parse_recipe, recipe_to_json
from lamplighter.operations import hosts, runs, sources, standstill
from lamplighter.rules import urls
from lamplighter.store import audit_log, crawl_jobs, crawl_runs
from lamplighter.store import sources as stored_sources
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow

#: marks sources that exist only because somebody once asked for a crawl
TAG = "cli"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is asked for; None leaves it as it is, or to the default for a new source."""

    url: str
    kind: str | None = None
    max_depth: int | None = None
    max_pages: int | None = None
    recipe: Mapping[str, Any] | None = None
    delay_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The run that carries the wish out."""

    run_id: int
    source_id: int
    url: str
    host_key: str
    #: an earlier crawl was interrupted, and this one goes on with it
    is_resumed: bool


async def open_wish(
    db: Connection, wish: Wish, *, actor: str, now: datetime, deadline: timedelta, norms: Norms
) -> Opened:
    """Opens a run for a wish, or takes up the one that is still going on."""
    target = urls.parse(wish.url)
    await standstill.refuse_runs(db)
    source_id = await _source(db, wish, target.href, actor=actor, now=now)
    if wish.delay_ms is not None:
        await hosts.set_policy(db, target.host_key, actor=actor, now=now, min_delay_ms=wish.delay_ms)
    job = await crawl_jobs.of_source(db, source_id)
    going_on = await crawl_runs.open_of_job(db, job.id) if job is not None else None
    run_id = going_on or await runs.run_now(db, source_id, now=now, deadline=deadline, norms=norms)
    return Opened(
        run_id=run_id,
        source_id=source_id,
        url=target.href,
        host_key=target.host_key,
        is_resumed=going_on is not None,
    )


async def _source(db: Connection, wish: Wish, url: str, *, actor: str, now: datetime) -> int:
    new = sources.NewSource(
        url=url,
        kind=wish.kind,
        recipe=wish.recipe,
        max_pages=wish.max_pages,
        enabled=False,
        tags=(TAG,),
    )
    if wish.max_depth is not None:
        new = replace(new, max_depth=wish.max_depth)
    known = await stored_sources.by_url(db, url)
    if known is None:
        return await sources.add(db, new, actor=actor, now=now)
    changes = _changes(known, new)
    if known.id in {source.id for source in await stored_sources.all_with_tag(db, TAG)}:
        if changes:
            await stored_sources.change(db, known.id, now=now, **changes)
            await audit_log.write(db, actor=actor, action="source.change", subject=url, now=now, after=changes)
    else:
        _refuse_other_orders(known, wish, changes)
    return known.id


def _changes(known: SourceRow, new: sources.NewSource) -> dict[str, Any]:
    """What of the stored source would have to change for it to be the new one."""
    wanted = {
        "kind": None if new.kind in (None, "auto") else new.kind,
        "max_depth": new.max_depth,
        "max_pages": new.max_pages,
        "recipe": recipe_to_json(parse_recipe(dict(new.recipe or {}))),
    }
    return {name: value for name, value in wanted.items() if getattr(known, name) != value}


def _refuse_other_orders(known: SourceRow, wish: Wish, changes: Mapping[str, Any]) -> None:
    """A source that is watched keeps its own orders: one crawl must not change what the schedule does for ever."""
    said = {"kind": wish.kind, "max_depth": wish.max_depth, "max_pages": wish.max_pages, "recipe": wish.recipe}
    other = [name for name in changes if said[name] is not None]
    if other:
        raise NotPossible(
            f"{known.url} is a watched source ({known.name!r}) with its own {', '.join(other)}; "
            f"crawl it without setting {'it' if len(other) == 1 else 'them'}, or remove the source first"
        )
