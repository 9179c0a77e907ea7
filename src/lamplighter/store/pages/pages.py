"""SQL about pages: the frontier, fetching, parsing, results."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import sqlalchemy as sa

from lamplighter.model.page import HeldBody, Page, Phase, RevisitState
from lamplighter.model.reading import PageRole
from lamplighter.store.engine import queries
from lamplighter.store.engine.among import Among
from lamplighter.store.engine.database import Connection
from lamplighter.store.engine.upsert import insert_into
from lamplighter.store.pages import page_revisits, page_validators
from lamplighter.store.schema.tables import bodies as page_bodies
from lamplighter.store.schema.tables import pages
from lamplighter.store.schema.types import literal

Row = Mapping[str, Any]
#: still to be fetched or parsed
OPEN_PHASES = literal(Phase.PENDING, Phase.DOWNLOADED)


def stands(phase: Phase, table: Any = pages) -> sa.ColumnElement[bool]:
    """Whether a page is in this phase.

    Written like the conditions of the partial indexes: with a list of one, SQLite does not use them.
    """
    return table.c.phase == sa.literal_column(f"'{phase}'")  # type: ignore[no-any-return]


def in_frontier(host_id: Any) -> sa.ColumnElement[bool]:
    """Whether a page of this host waits to be fetched.

    The condition repeats ix_pages_in_turn word for word, and names the rank, which is never negative: otherwise SQLite
    may use ix_pages_host and scan all pages of the host.
    """
    return sa.and_(pages.c.host_id == host_id, stands(Phase.PENDING), pages.c.rank >= 0)


def in_turn(table: sa.FromClause = pages) -> tuple[sa.ColumnElement[Any], ...]:
    """The order in which a host's pages are fetched: by rank, then by the age of their runs.

    By rank and id alone, a source could wait for ever behind a source with older pages.
    """
    return table.c.rank, table.c.run_id, table.c.id


class KnownPage(NamedTuple):
    """A page that a source already has."""

    id: int
    run_id: int | None
    phase: Phase
    role: PageRole
    #: the page that led to it first
    found_on: int | None
    fetched_at: datetime | None
    revisit: RevisitState
    body: HeldBody | None


class NewPage(NamedTuple):
    """A page to be added."""

    source_id: int
    #: None for a page that waits for a task
    run_id: int | None
    host_id: int
    url: str
    url_key: str
    role: PageRole
    depth: int
    rank: int
    phase: Phase
    created_at: datetime
    found_on: int | None = None
    #: redirects that led here
    hops: int = 0
    due_at: datetime | None = None
    #: None leaves it to the installation
    max_retries: int | None = None
    #: that another source fetched from the same URL
    body: HeldBody | None = None
    #: why it waits
    reason: str | None = None
    detail: str | None = None


class PageBeforeVisit(NamedTuple):
    """What is stored of a page before its visit or reading."""

    #: of its last reading; None when it was never parsed to the end
    content_hash: str | None
    fetched_at: datetime | None
    revisit: RevisitState
    #: the hash of its body, and the body's key in the archive
    body_hash: str | None = None
    body_key: str | None = None
    #: its run
    run_id: int | None = None
    #: while it waits to be parsed: None unless it has not changed and is parsed only for its links
    links_due_at: datetime | None = None
    #: pending, or downloaded
    phase: Phase = Phase.PENDING


class Downloaded(NamedTuple):
    """A page whose body is to be parsed."""

    id: int
    source_id: int
    run_id: int
    url: str
    depth: int
    #: redirects in its run that led to it
    hops: int
    role: PageRole
    body_key: str
    content_type: str | None
    robots_tag: str | None
    usage: str | None
    crash_count: int
    #: what the page said when it was last read; None when it is to be read whatever it says
    seen_hash: str | None = None


_BODY = tuple(
    pages.c[name] for name in ("body_hash", "body_key", "etag", "last_modified", "content_type", "robots_tag", "usage")
)
_NO_BODY = dict.fromkeys([column.name for column in _BODY])
#: the fields of `Page` that have columns of the same name
_SAME = ("id", "source_id", "run_id", "host_id", "url", "depth", "hops", "retry_count", "max_retries")
_FRONTIER = (
    *(pages.c[name] for name in (*_SAME, "role", "content_hash", "seen_hash", "links_due_at", "fetched_at")),
    *_BODY,
)
#: a page in a new run starts without failures
AFRESH: dict[str, Any] = {"phase": Phase.PENDING, "retry_count": 0, "crash_count": 0} | dict.fromkeys(
    ("due_at", "redirected_to", "reason", "detail", "requested_at", "parsing_since")
)
_KNOWN = (
    *(pages.c[name] for name in ("source_id", "url_key", "id", "run_id", "phase", "role", "found_on", "fetched_at")),
    *page_revisits.COLUMNS,
    *_BODY,
)
_BEFORE = ("content_hash", "fetched_at", "body_hash", "body_key", "run_id", "links_due_at")
# Frequent statements are built once: building one takes longer than running it.
_DUE = (
    sa.select(*_FRONTIER)
    .where(in_frontier(sa.bindparam("host")))
    .where(sa.or_(pages.c.due_at.is_(None), pages.c.due_at <= sa.bindparam("now")))
    .order_by(*in_turn())
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_BY_KEYS = sa.select(*_KNOWN).where(Among(pages.c.url_key, "keys"))
_SEEDS = sa.select(pages.c.source_id, pages.c.url).where(
    Among(pages.c.source_id, "sources"), pages.c.role.in_(literal(PageRole.SEED))
)
_STILL_OPEN = (
    sa.select(pages.c.id, pages.c.phase, *(pages.c[name] for name in _BEFORE), *page_revisits.COLUMNS)
    .where(Among(pages.c.id, "ids"), pages.c.phase.in_(OPEN_PHASES))
    .order_by(pages.c.id)
    .with_for_update()
)


async def stay_fresh(db: Connection, until: Mapping[int, datetime]) -> None:
    """Stores until when pages, by id, stay fresh; never earlier than is stored already."""
    if until:
        later = sa.or_(pages.c.fresh_until.is_(None), pages.c.fresh_until < sa.bindparam("until"))
        statement = sa.update(pages).where(pages.c.id == sa.bindparam("page"), later)
        rows = [{"page": page_id, "until": moment} for page_id, moment in sorted(until.items())]
        await db.execute(statement.values(fresh_until=sa.bindparam("until")), rows)


async def due(db: Connection, host_id: int, *, now: datetime, limit: int) -> list[Page]:
    """The host's next pages: by priority, then depth, then the age of their runs."""
    return [
        Page(
            **{name: getattr(row, name) for name in _SAME},
            role=PageRole(row.role),
            body=_body(row),
            was_read=row.content_hash is not None,
            seen_hash=row.seen_hash,
            links_due_at=row.links_due_at,
            fetched_at=row.fetched_at,
        )
        for row in await db.execute(_DUE, {"host": host_id, "now": now, "most": limit})
    ]


async def known(db: Connection, keys: Iterable[str]) -> dict[str, dict[int, KnownPage]]:
    """The pages with these URL keys: key -> source -> page."""
    found: dict[str, dict[int, KnownPage]] = {}
    for some in queries.chunks(sorted(keys)):
        for row in await db.execute(_BY_KEYS, {"keys": some}):
            found.setdefault(row.url_key, {})[row.source_id] = KnownPage(
                id=row.id,
                run_id=row.run_id,
                phase=Phase(row.phase),
                role=PageRole(row.role),
                found_on=row.found_on,
                fetched_at=row.fetched_at,
                revisit=page_revisits.revisit_of(row),
                body=_body(row),
            )
    return found


async def bodies(db: Connection, url_keys: Iterable[str]) -> dict[str, HeldBody]:
    """URL -> its newest archived body of any source, for these URL keys."""
    kept = sa.exists().where(page_bodies.c.hash == pages.c.body_hash)
    query = sa.select(pages.c.url, *_BODY).where(pages.c.url_key.in_(sorted(url_keys)), kept)
    rows = await db.execute(query.order_by(pages.c.fetched_at))
    return {row.url: body for row in rows if (body := _body(row)) is not None}


def _body(row: Any) -> HeldBody | None:
    if row.body_key is None:
        return None
    return HeldBody(
        hash=row.body_hash,
        key=row.body_key,
        validators=page_validators.of_row(row),
        content_type=row.content_type,
        robots_tag=row.robots_tag,
        usage=row.usage,
    )


def body_values(body: HeldBody | None) -> dict[str, Any]:
    """The columns that hold a body."""
    if body is None:
        return dict(_NO_BODY)
    same = {"content_type": body.content_type, "robots_tag": body.robots_tag, "usage": body.usage}
    return {"body_hash": body.hash, "body_key": body.key} | same | page_validators.values(body.validators)


async def add(db: Connection, new: Sequence[NewPage]) -> None:
    """Adds new pages; a page that another worker added meanwhile stays."""
    if new:
        await db.execute(_add(db.dialect.name), [_columns(page) for page in new])


def _columns(page: NewPage) -> dict[str, Any]:
    columns = page._asdict()
    return columns | body_values(columns.pop("body"))


@cache
def _add(dialect: str) -> Any:
    return insert_into(dialect, pages).on_conflict_do_nothing(index_elements=["source_id", "url_key"])


async def readmit(db: Connection, rows: Sequence[Row], *, state: Row = MappingProxyType({})) -> None:
    """Puts known pages into a run again: rows of page, run, depth, rank, hops, and when each is due if not now.

    They are pending, unless `state` says otherwise.
    """
    if rows:
        values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in ("depth", "rank", "hops")}
        due = sa.bindparam("new_due_at", None, type_=pages.c.due_at.type)
        readmitted = sa.update(pages).where(pages.c.id == sa.bindparam("page"))
        values |= {"run_id": sa.bindparam("run"), "due_at": due, **state}
        await db.execute(readmitted.values(AFRESH | values), rows)


async def promote(db: Connection, rows: Sequence[Row]) -> None:
    """Changes the role of pages first found as plain links: rows of page, new_role, found_page."""
    if rows:
        promoted = sa.update(pages).where(pages.c.id == sa.bindparam("page"))
        await db.execute(promoted.values(role=sa.bindparam("new_role"), found_on=sa.bindparam("found_page")), rows)


async def save(db: Connection, rows: Sequence[Row]) -> None:
    """Stores results of a phase; every row has the same keys, `page` is the id."""
    if not rows:
        return
    names = {name: f"new_{name}" for name in rows[0] if name != "page"}
    parameters = [{"page": row["page"]} | {new: row[name] for name, new in names.items()} for row in rows]
    await db.execute(_save(tuple(names)), parameters)


@cache
def _save(names: tuple[str, ...]) -> sa.Update:
    """One statement for each kind of outcome: about a dozen."""
    values: dict[str, Any] = {name: sa.bindparam(f"new_{name}") for name in names}
    return sa.update(pages).where(pages.c.id == sa.bindparam("page")).values(**values)


async def still_open(db: Connection, ids: Iterable[int]) -> dict[int, PageBeforeVisit]:
    """Those of these pages that are still to be fetched or parsed, locked until the transaction ends."""
    return {
        row.id: PageBeforeVisit(
            revisit=page_revisits.revisit_of(row),
            phase=Phase(row.phase),
            **{name: getattr(row, name) for name in _BEFORE},
        )
        for row in await db.execute(_STILL_OPEN, {"ids": sorted(ids)})
    }


async def still_in(db: Connection, ids: Iterable[int], phase: Phase) -> dict[int, PageBeforeVisit]:
    """Those of these pages that are still in that phase, to be fetched or to be parsed; locked likewise."""
    found = await still_open(db, ids)
    return {page_id: before for page_id, before in found.items() if before.phase is phase}


async def by_url(db: Connection, url_key: str) -> Any:
    """The page with this URL, of any source, that was last in a run; None if unknown."""
    return next(iter(await all_by_url(db, url_key, limit=1)), None)


async def all_by_url(db: Connection, url_key: str, *, limit: int = 20) -> Sequence[Any]:
    """The pages with this URL, one for each source that knows it, the last in a run first."""
    # A page without a run would come first in PostgreSQL and last in SQLite.
    query = sa.select(pages).where(pages.c.url_key == url_key).order_by(pages.c.run_id.desc().nulls_last(), pages.c.id)
    return (await db.execute(query.limit(limit))).all()


async def url_of(db: Connection, page_id: int) -> str | None:
    """The URL of a page."""
    found: str | None = await db.scalar(sa.select(pages.c.url).where(pages.c.id == page_id))
    return found


async def hosts_of(db: Connection, ids: Iterable[int]) -> list[int]:
    """The hosts of these pages."""
    return list(await db.scalars(sa.select(pages.c.host_id).where(pages.c.id.in_(sorted(ids))).distinct()))


async def seed_urls(db: Connection, source_ids: Iterable[int]) -> dict[int, list[str]]:
    """Source -> its start URL and that URL's redirect targets."""
    found: dict[int, list[str]] = {}
    for row in await db.execute(_SEEDS, {"sources": sorted(source_ids)}):
        found.setdefault(row.source_id, []).append(row.url)
    return found
