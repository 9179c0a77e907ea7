"""The inbox of the page Attention: problems by cause, their evidence, and what can be done about them."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Path, Response

from lamplighter.errors import NotFound
from lamplighter.operations.alerts import problems, remedies
from lamplighter.operations.alerts.problems import ProblemView
from lamplighter.operations.alerts.remedies import RemedyOrder
from lamplighter.operations.pages import page_versions
from lamplighter.operations.sources.source_bulk import BulkReport
from lamplighter.rules.alerts.problems import Remedy, pages_to_propose
from lamplighter.web import page_ids, source_verbs
from lamplighter.web.dashboard.forms import SubmittedForm
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.pages import diff_view
from lamplighter.web.dashboard.pages.diff_view import DiffView
from lamplighter.web.routes import Pages
from lamplighter.web.words import counted

ROUTES = Pages()
INBOX = "/alerts"
_LIMIT = 25
#: the most sources of a problem that are named
_MOST_SHOWN = 100
#: rows of a page's difference
_MOST_DIFF_ROWS = 24
#: the most reasons for refusals that are told
_TOLD_REASONS = 3
#: the button that confirms, and the word for what was done
_WORDS = {
    Remedy.RETRY: ("Try again", "tried again"),
    Remedy.FOLLOW: ("Change the address", "moved to the new address"),
    Remedy.MORE_PAGES: ("Raise", "given more pages"),
    Remedy.PAUSE: ("Pause", "paused"),
}
#: functions for the templates
_FUNCTIONS: dict[str, Any] = {"propose_pages": pages_to_propose, "page_uuid": page_ids.shown}

Key = Annotated[str, Path(max_length=400)]


async def inbox(request: PageRequest, skipped: int) -> dict[str, Any]:
    """The variables of the list of problems."""
    found = await request.view.db.look(lambda db: problems.inbox(db, limit=_LIMIT, offset=skipped, now=request.now))
    return {
        "inbox": found,
        "skipped": skipped,
        "at_once": _LIMIT,
        **_FUNCTIONS,
    }


@ROUTES.get("/alerts/problems/{key}")
async def show(key: Key, request: ThisRequest) -> Response:
    """One problem with its sources."""
    view = await request.view.db.look(lambda db: problems.one(db, key, now=request.now))
    diff = await _page_diff(request, view)
    return request.page("alerts/problem.html", view=view, diff=diff, most_shown=_MOST_SHOWN, **_FUNCTIONS)


async def _page_diff(request: PageRequest, view: ProblemView) -> DiffView | None:
    """What the page said before and after it changed; None if it did not, or is no text that is still kept."""
    turn = view.page_turn
    if turn is None:
        return None
    source, archive = view.problem.sources[0].id, request.view.storage.archive
    try:
        page = await request.read(lambda db: page_versions.history(db, source, turn.page_id, limit=1, offset=0))
        old, new = [
            await page_versions.text_of(request.view.db, archive, page, number) for number in (turn.before, turn.after)
        ]
    except NotFound:
        return None
    if not (old.is_text and new.is_text):
        return None
    texts = (old.readable, new.readable)
    return await asyncio.to_thread(
        diff_view.of_texts, *texts, view="sides", ignore_space=False, most_rows=_MOST_DIFF_ROWS
    )


@ROUTES.post("/alerts/problems/{key}/snooze")
async def snooze(key: Key, request: ThisRequest) -> Response:
    """Hides a problem for a week."""
    form = await request.form()
    problem = await request.read(lambda db: problems.find(db, key, now=request.now))
    until = request.now + problems.SNOOZE
    consequences = [
        f"It is hidden for everybody until {until:%Y-%m-%d}, or until its cause changes. "
        "Alerts, notifications and runs continue."
    ]
    question = f"Snooze this problem of {counted(len(problem.sources) + problem.waiting, 'source')} for a week?"
    request.confirm(form, question, label="Snooze", back=_back(form), consequences=consequences)
    await request.write(lambda db: problems.snooze(db, key, stamp=request.stamp))
    return request.done("The problem is snoozed for a week.", to=INBOX)


@ROUTES.post("/alerts/problems/{key}/wake")
async def wake(key: Key, request: ThisRequest) -> Response:
    """Ends a snooze."""
    await request.write(lambda db: problems.wake(db, key, stamp=request.stamp))
    return request.done("The snooze has ended.", to=INBOX)


@ROUTES.post("/alerts/problems/{key}/{remedy}")
async def apply(key: Key, remedy: str, request: ThisRequest) -> Response:
    """Says what a remedy would do, and does it once that is confirmed."""
    if remedy not in set(Remedy):
        raise NotFound(f"there is no remedy {remedy[:100]!r}; there are {', '.join(Remedy)}")
    form = await request.form()
    order = RemedyOrder(
        remedy=Remedy(remedy),
        problem=await request.read(lambda db: problems.find(db, key, now=request.now)),
        max_pages=form.whole_number("max_pages"),
        deadline=request.view.run_deadline,
    )
    label, done = _WORDS[order.remedy]
    question, consequences = remedies.preview(order)
    request.confirm(form, question, label=label, back=_back(form), consequences=consequences)
    context = source_verbs.change_context(request.view, request.caller)
    reports = await remedies.apply(request.view.db, order, context)
    return request.done(_summary(reports, done), to=INBOX)


def _back(form: SubmittedForm) -> str:
    return form.text("back") or INBOX


def _summary(reports: Sequence[BulkReport], done: str) -> str:
    """How many sources were changed, and why some were not."""
    said = f"{counted(reports[0].changed, 'source')} {done}"
    reasons = Counter(refusal.message for report in reports for refusal in report.refusals).most_common(_TOLD_REASONS)
    if not reasons:
        return f"{said}."
    refused = sum(report.refused for report in reports)
    return f"{said}, {refused} refused: {'; '.join(reason for reason, _ in reasons)}."
