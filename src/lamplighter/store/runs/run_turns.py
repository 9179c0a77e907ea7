"""Queries for when sources went from good to bad: the last good run, and the first bad one after it."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from lamplighter.model.alert import RunMark, RunTurn
from lamplighter.model.crawl import RunOutcome, Trigger
from lamplighter.model.run_figures import loaded
from lamplighter.store.engine.database import Connection
from lamplighter.store.schema.tables import crawl_runs, sources

_GOOD, _BAD = crawl_runs.alias("good"), crawl_runs.alias("bad")


def _run_of_source(run: sa.FromClause, *which: sa.ColumnElement[bool], is_latest: bool) -> sa.ScalarSelect[int]:
    """The latest or first run of a source itself, not of tasks, that ended and for which all of this is true."""
    counts = sa.and_(run.c.source_id == sources.c.id, run.c.trigger != Trigger.TASKS, *which)
    order = (run.c.started_at.desc(), run.c.id.desc()) if is_latest else (run.c.started_at, run.c.id)
    return sa.select(run.c.id).where(counts).order_by(*order).limit(1).correlate(sources, _GOOD).scalar_subquery()


def _turns() -> sa.Select[Any]:
    good, bad = crawl_runs.alias(), crawl_runs.alias()
    did_well = sa.and_(good.c.outcome.in_([RunOutcome.OK, RunOutcome.WARN]), ~good.c.has_drifted)
    did_badly = sa.or_(bad.c.outcome == RunOutcome.FAIL, bad.c.has_drifted)
    is_later = sa.or_(_GOOD.c.id.is_(None), bad.c.started_at > _GOOD.c.started_at)
    ended = bad.c.outcome != RunOutcome.CANCELLED
    joined = sources.outerjoin(_GOOD, _GOOD.c.id == _run_of_source(good, did_well, is_latest=True)).outerjoin(
        _BAD, _BAD.c.id == _run_of_source(bad, did_badly, ended, is_later, is_latest=False)
    )
    columns = (run.c[name] for run in (_GOOD, _BAD) for name in RunMark._fields)
    return (
        sa.select(sources.c.id, *columns)
        .select_from(joined)
        .where(sources.c.id.in_(sa.bindparam("ids", expanding=True)))
    )


_TURNS = _turns()


async def of_sources(db: Connection, ids: Iterable[int]) -> dict[int, RunTurn]:
    """Source -> its turn, for a few sources."""
    rows = await db.execute(_TURNS, {"ids": sorted(set(ids))})
    width = 1 + len(RunMark._fields)
    return {row[0]: RunTurn(_mark(row[1:width]), _mark(row[width:])) for row in rows}


def _mark(values: Any) -> RunMark | None:
    mark = RunMark._make(values)
    if mark.outcome is None:
        return None
    return mark._replace(outcome=RunOutcome(mark.outcome), figures=loaded(values[-1]))
