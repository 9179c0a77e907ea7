"""Problems: what needs a person, by cause, with its evidence; and hiding one for a while."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from lamplighter.errors import NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.alert import PageTurn, ProblemKind, RunTurn, Snooze
from lamplighter.operations.sources.source_health import SourceHealth, health_of
from lamplighter.rules.alerts import problems
from lamplighter.rules.alerts.problems import Problem
from lamplighter.store.access import audit_log
from lamplighter.store.alerts import problem_snoozes, troubled_sources
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import job_holds
from lamplighter.store.pages import page_versions
from lamplighter.store.runs import run_turns
from lamplighter.store.sources import source_lists, source_summaries
from lamplighter.store.sources.source_summaries import SummarySource

#: how long a problem is hidden
SNOOZE = timedelta(days=7)
#: the most pressing sources that are grouped by cause
_GROUPED = 1_000
#: the most sources of one problem
MOST_SOURCES = 10_000
#: the most blocked hosts whose waiting sources are counted
_BLOCKED_HOSTS = 100
_MOST_SNOOZES = 1_000
#: problems that began when a run turned bad
_TURNING = (ProblemKind.HOST, ProblemKind.SOURCE, ProblemKind.DRIFT, ProblemKind.ROBOTS, ProblemKind.TAKEDOWN)


class PressingSource(NamedTuple):
    """A source that needs a person, and why."""

    source: SummarySource
    health: SourceHealth


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """What needs a person, by cause: problems of several sources, then single sources."""

    groups: Sequence[Problem]
    #: sources that have a problem for themselves, the most pressing first
    rows: Sequence[PressingSource]
    #: sources that are neither listed nor counted with a group
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemView:
    """A problem as people read it."""

    problem: Problem
    #: when the source that failed most often turned bad, and what its runs said; None for advice
    turn: RunTurn | None
    #: for drift: how its start page changed meanwhile; None if it did not
    page_turn: PageTurn | None = None
    #: who hid it; None when nobody did
    snooze: Snooze | None = None

    @property
    def since(self) -> datetime | None:
        """When it began; None if no run that is kept says so."""
        bad = self.turn.first_bad if self.turn is not None else None
        return bad.started_at if bad is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbox:
    """The problems of one page, and how many there are."""

    problems: Sequence[ProblemView]
    total: int
    #: sources that need a person, beyond those that were grouped
    more: int
    #: snoozes that last, of problems that are still there and of others
    snoozes: Sequence[Snooze]


async def attention(db: Connection, *, limit: int, now: datetime) -> Attention:
    """The most pressing problems that nobody hid."""
    found, more = await _found(db, now=now)
    hidden = await _hidden(db, found, now=now)
    shown = [problem for problem in found if problem.key not in hidden]
    chosen = shown[:limit]
    groups = [problem for problem in chosen if problem.is_group]
    named = [problem.sources[0].id for problem in chosen if not problem.is_group]
    summaries = await source_summaries.of(db, named)
    rows = [PressingSource(each.source, health_of(*each)) for each in summaries]
    left = sum(len(problem.sources) for problem in shown[limit:])
    return Attention(groups=groups, rows=rows, more=more + left)


async def inbox(db: Connection, *, limit: int, offset: int, now: datetime) -> Inbox:
    """The problems that nobody hid, the most pressing first."""
    found, more = await _found(db, now=now)
    hidden = await _hidden(db, found, now=now)
    shown = [problem for problem in found if problem.key not in hidden]
    views = await _views(db, shown[offset : offset + limit])
    snoozes = await problem_snoozes.lasting(db, now=now, limit=_MOST_SNOOZES)
    there = {problem.key for problem in found}
    lasting = [snooze for snooze in snoozes if snooze.key in hidden or snooze.key not in there]
    return Inbox(problems=views, total=len(shown), more=more, snoozes=lasting)


async def one(db: Connection, key: str, *, now: datetime) -> ProblemView:
    """A problem with all of its sources, hidden or not."""
    problem = await find(db, key, now=now)
    (view,) = await _views(db, [problem])
    snooze = (await _hidden(db, [problem], now=now)).get(key)
    return ProblemView(problem=problem, turn=view.turn, page_turn=view.page_turn, snooze=snooze)


async def find(db: Connection, key: str, *, now: datetime) -> Problem:
    """The same without its evidence."""
    host = problems.host_of(key)
    ids, _ = await source_lists.most_pressing(db, limit=MOST_SOURCES, host=host)
    blocked = await job_holds.blocked_hosts(db, now=now, limit=1, host=host)
    for problem in problems.grouped(await troubled_sources.of(db, ids), blocked):
        if problem.key == key:
            return problem
    raise NotFound(
        "this problem is no longer there: its sources recovered, or fail for another cause", code="problem_not_found"
    )


async def snooze(db: Connection, key: str, *, stamp: Stamp) -> Snooze:
    """Hides a problem for a week, or until it goes away and comes again."""
    title = (await find(db, key, now=stamp.now)).title
    made = Snooze(key, title, snoozed_by=stamp.actor, snoozed_at=stamp.now, until=stamp.now + SNOOZE)
    await problem_snoozes.put(db, made)
    await audit_log.write(db, stamp, "problem.snooze", title, after={"problem": key, "until": made.until.isoformat()})
    return made


async def wake(db: Connection, key: str, *, stamp: Stamp) -> None:
    """Ends a snooze: the problem is listed again."""
    if not await problem_snoozes.remove(db, key):
        raise NotFound("this problem is not snoozed; its snooze may have ended", code="snooze_not_found")
    await audit_log.write(db, stamp, "problem.wake", key)


async def _found(db: Connection, *, now: datetime) -> tuple[list[Problem], int]:
    """The problems of the most pressing sources, and how many further sources need a person."""
    ids, total = await source_lists.most_pressing(db, limit=_GROUPED)
    blocked = await job_holds.blocked_hosts(db, now=now, limit=_BLOCKED_HOSTS)
    return problems.grouped(await troubled_sources.of(db, ids), blocked), max(0, total - len(ids))


async def _hidden(db: Connection, found: Sequence[Problem], *, now: datetime) -> Mapping[str, Snooze]:
    """Those of the problems that somebody hid: key -> snooze."""
    lasting = {each.key: each for each in await problem_snoozes.lasting(db, now=now, limit=_MOST_SNOOZES)}
    if not lasting:
        return {}
    views = await _views(db, [problem for problem in found if problem.key in lasting])
    hidden = (each for each in views if problems.is_snoozed(lasting[each.problem.key], since=each.since, now=now))
    return {each.problem.key: lasting[each.problem.key] for each in hidden}


async def _views(db: Connection, found: Sequence[Problem]) -> list[ProblemView]:
    """The problems with their evidence: that of the source which failed most often."""
    leads = {problem.key: problem.sources[0].id for problem in found if problem.sources and problem.kind in _TURNING}
    turns = await run_turns.of_sources(db, leads.values()) if leads else {}
    views = []
    for problem in found:
        turn = turns.get(leads.get(problem.key, 0))
        page_turn = await _page_turn(db, leads[problem.key], turn) if problem.kind is ProblemKind.DRIFT else None
        views.append(ProblemView(problem=problem, turn=turn, page_turn=page_turn))
    return views


async def _page_turn(db: Connection, source_id: int, turn: RunTurn | None) -> PageTurn | None:
    if turn is None or turn.last_good is None or turn.first_bad is None:
        return None
    return await page_versions.turn(db, source_id, after=turn.last_good.finished_at, until=turn.first_bad.finished_at)
