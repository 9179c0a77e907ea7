"""Remedies: what an operator does about a problem, for all of its sources at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from lamplighter.errors import BadInput, NotPossible
from lamplighter.operations.sources import source_bulk
from lamplighter.operations.sources.source_bulk import BulkAction, BulkOrder, BulkReport
from lamplighter.operations.sources.source_edits import SourceChangeContext
from lamplighter.rules.alerts.problems import Problem, Remedy
from lamplighter.rules.formats.plural import counted
from lamplighter.store.engine.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyOrder:
    """What is to be done about which problem."""

    remedy: Remedy
    problem: Problem
    #: for more pages
    max_pages: int | None = None
    #: how long a run may take that is opened
    deadline: timedelta = timedelta(hours=1)


_STEPS = {
    Remedy.RETRY: (BulkAction.RUN,),
    Remedy.FOLLOW: (BulkAction.FOLLOW_REDIRECT, BulkAction.RUN),
    Remedy.MORE_PAGES: (BulkAction.SET_MAX_PAGES, BulkAction.RUN),
    Remedy.PAUSE: (BulkAction.PAUSE,),
}


def preview(order: RemedyOrder) -> tuple[str, list[str]]:
    """The question with the number of sources, and what would happen; refuses what cannot be done."""
    problem = order.problem
    if order.remedy not in problem.remedies:
        raise NotPossible(f"{order.remedy} is no remedy for this problem")
    if order.remedy is Remedy.MORE_PAGES:
        _check_pages(order)
    number = len(problem.sources)
    those = counted(number, "source") if number > 1 else problem.sources[0].name
    match order.remedy:
        case Remedy.RETRY:
            question = f"Try {those} again now?"
        case Remedy.FOLLOW:
            question = f"Give {those} the new address?"
        case Remedy.MORE_PAGES:
            question = f"Raise max pages of {those} to {order.max_pages}?"
        case Remedy.PAUSE:
            question = f"Pause {those}?"
    return question, list(_consequences(order))


async def apply(db: Database, order: RemedyOrder, context: SourceChangeContext) -> list[BulkReport]:
    """Does it, step by step; a step is done for the sources that the one before did not refuse."""
    preview(order)
    ids: Sequence[str] = [source.public_id for source in order.problem.sources]
    reports = []
    for action in _STEPS[order.remedy]:
        step = BulkOrder(action=action, ids=ids, max_pages=order.max_pages, deadline=order.deadline)
        report = await source_bulk.bulk(db, step, context)
        refused = {refusal.id for refusal in report.refusals}
        ids = [public_id for public_id in ids if public_id not in refused]
        reports.append(report)
    return reports


def _check_pages(order: RemedyOrder) -> None:
    now = order.problem.most_pages
    if order.max_pages is None:
        raise BadInput("enter the most pages of a run", field="max_pages")
    if order.max_pages <= now:
        raise BadInput(f"runs have {counted(now, 'page')} already; enter more than {now}", field="max_pages")


def _consequences(order: RemedyOrder) -> Iterator[str]:
    problem = order.problem
    match order.remedy:
        case Remedy.PAUSE:
            yield "They are not crawled until an operator resumes them. An active run continues to its end."
            return
        case Remedy.FOLLOW:
            for source in problem.sources[:_SHOWN_MOVES]:
                yield f"{source.url} becomes {source.moved_to}"
            if len(problem.sources) > _SHOWN_MOVES:
                yield f"and {len(problem.sources) - _SHOWN_MOVES} more in the same way."
            yield "Records and history stay. A source is left as it is if another one has its new address already."
        case Remedy.MORE_PAGES:
            yield f"A run may fetch up to {order.max_pages} pages, now up to {problem.most_pages}."
    yield "A run of each starts at once, also of those that are paused after failures. Requests keep the host's delay."
    if problem.until is not None:
        yield f"The host gets no requests until {problem.until:%Y-%m-%d %H:%M} UTC: the runs wait until then."


_SHOWN_MOVES = 3
