"""Bulk actions on the selected sources."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.operations.sources import source_bulk
from lamplighter.operations.sources.source_bulk import BulkAction, BulkOrder, BulkReport
from lamplighter.operations.sources.source_filters import FILTERS
from lamplighter.operations.sources.source_words import priority_number
from lamplighter.store.sources.source_lists import SourceFilter
from lamplighter.web import source_verbs
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.source_query import SourceQuery
from lamplighter.web.dashboard.sources.sources_list import BulkBar, whole_page
from lamplighter.web.paths import parts_of
from lamplighter.web.routes import Pages
from lamplighter.web.words import counted

ROUTES = Pages()
#: prefix of the filter's fields in the bulk form, which has a tag and a priority of its own
ONLY = "only_"
#: field -> the actions that need it, and the error when it is empty
_NEEDED: Mapping[str, tuple[tuple[BulkAction, ...], str]] = {
    "with_tag": ((BulkAction.ADD_TAG, BulkAction.REMOVE_TAG), "enter the tag"),
    "to_priority": ((BulkAction.SET_PRIORITY,), "choose the priority first"),
}
#: the number of reasons in the message
_TOLD_REASONS = 3
#: the verb of the question, and the word for the result
_WORDS: Mapping[BulkAction, tuple[str, str]] = {
    BulkAction.PAUSE: ("Pause", "paused"),
    BulkAction.STOP: ("Stop the active runs of", "stopped"),
    BulkAction.RESUME: ("Resume", "resumed"),
    BulkAction.RUN: ("Run now", "started"),
    BulkAction.ENABLE: ("Enable", "enabled"),
    BulkAction.DISABLE: ("Disable", "disabled"),
    BulkAction.ADD_TAG: ("Add the tag to", "tagged"),
    BulkAction.REMOVE_TAG: ("Remove the tag from", "untagged"),
    BulkAction.SET_PRIORITY: ("Set the priority of", "set to that priority"),
    BulkAction.DELETE: ("Delete", "deleted"),
    BulkAction.RESTORE: ("Restore", "restored"),
}


@ROUTES.post("/sources/bulk")
async def bulk(request: ThisRequest) -> Response:
    """Asks for confirmation with the number of sources, then applies the action."""
    form = await request.form()
    back = form.text("back") or "/"
    try:
        order = _order(form, now=request.now)
        preview = await source_bulk.preview(request.view.db, order)
    except BadInput as error:
        return await _again(request, form, faults_of(error))
    label, done = _WORDS[order.action]
    question = f"{_question(order)} {_counted(preview.matched)}?"
    request.confirm(form, question, label=label.split(" the ")[0], back=back)
    context = source_verbs.change_context(request.view, request.caller)
    report = await source_verbs.bulk(request.view, order, context)
    return request.done(_summary(report, done), to=back)


async def _again(request: PageRequest, form: SubmittedForm, faults: Mapping[str, str]) -> Response:
    """The bulk action bar with its errors."""
    if request.is_partial:
        answer = request.part("sources/bar_faults.html", faults=faults)
        answer.headers["HX-Retarget"], answer.headers["HX-Reswap"] = "#bar-faults", "outerHTML"
        return answer
    typed = {name: form.text(name) for name in _NEEDED}
    bar = BulkBar(picked=form.many("ids"), everything=form.has("everything"), typed=typed, faults=faults)
    return await whole_page(
        request, SourceQuery.of(dict(parse_qsl(parts_of(form.text("back")).query))), bar, status=422
    )


def _order(form: SubmittedForm, *, now: datetime) -> BulkOrder:
    """The bulk order from the form."""
    word = form.text("action")
    if word not in _WORDS:
        raise BadInput("choose an action", field="action")
    action = BulkAction(word)
    for name, (actions, remedy) in _NEEDED.items():
        if action in actions and not form.text(name):
            raise BadInput(remedy, field=name)
    priority = form.text("to_priority") if action is BulkAction.SET_PRIORITY else ""
    return BulkOrder(
        action=action,
        ids=None if form.has("everything") else _ids(form),
        which=_which(form, now=now) if form.has("everything") else None,
        tag=form.text("with_tag"),
        priority=priority_number(priority) if priority else None,
    )


def _which(form: SubmittedForm, *, now: datetime) -> SourceFilter:
    """The filter of the shown list, for this time."""
    query = SourceQuery.of({name: form.text(ONLY + name) for name in FILTERS})
    for name, fault in query.faults.items():
        raise BadInput(fault, field=name)
    return query.which(now)


def _ids(form: SubmittedForm) -> list[str]:
    """The ids selected on this page, and those on other pages, which a script remembers."""
    named = [*form.many("ids"), *form.text("others").split()]
    try:
        ids = list(dict.fromkeys(str(UUID(public_id)) for public_id in named))
    except ValueError:
        raise BadInput("the selection has invalid ids", field="ids") from None
    if not ids:
        raise BadInput("select at least one source", field="ids")
    return ids


def _question(order: BulkOrder) -> str:
    match order.action:
        case BulkAction.ADD_TAG:
            return f"Add the tag {order.tag!r} to"
        case BulkAction.REMOVE_TAG:
            return f"Remove the tag {order.tag!r} from"
    return _WORDS[order.action][0]


def _counted(number: int) -> str:
    return counted(number, "source")


def _summary(report: BulkReport, done: str) -> str:
    """The numbers of changed, unchanged and refused sources, with the reasons."""
    said = [f"{_counted(report.changed)} {done}"]
    if report.unchanged:
        said.append(f"{report.unchanged} unchanged")
    if report.refused:
        reasons = Counter(refusal.message for refusal in report.refusals).most_common(_TOLD_REASONS)
        reasons_text = "; ".join(f"{reason} ({count})" if count > 1 else reason for reason, count in reasons)
        said.append(f"{report.refused} refused: {reasons_text}")
    return ", ".join(said) + "."
