"""Many sources at once: what was chosen in the list, and what is to be done with it."""

from collections import Counter
from collections.abc import Mapping
from urllib.parse import parse_qsl
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.operations import source_bulk
from lamplighter.operations.source_bulk import BulkAction, BulkOrder, BulkReport
from lamplighter.operations.source_words import priority_number
from lamplighter.store.source_lists import SourceFilter
from lamplighter.web.api import source_verbs
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.source_query import FILTERS, SourceQuery
from lamplighter.web.dashboard.sources_list import Bar, whole_page
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.paths import parts_of
from lamplighter.web.words import counted

ROUTES = Routes("", tag="dashboard")
#: how a field of the filter is called among those of the bar, which asks for a tag and a priority of its own
ONLY = "only_"
#: what is to be filled in, and for what
_NEEDED: Mapping[str, tuple[tuple[BulkAction, ...], str]] = {
    "with_tag": ((BulkAction.ADD_TAG, BulkAction.REMOVE_TAG), "write the tag into the field"),
    "to_priority": ((BulkAction.SET_PRIORITY,), "choose the priority first"),
}
#: reasons that are told
_TOLD_REASONS = 3
#: what a person calls it: to be done, and done
_WORDS: Mapping[BulkAction, tuple[str, str]] = {
    BulkAction.PAUSE: ("Pause", "paused"),
    BulkAction.RESUME: ("Resume", "resumed"),
    BulkAction.RUN: ("Run now", "sent off"),
    BulkAction.ENABLE: ("Enable", "enabled"),
    BulkAction.DISABLE: ("Disable", "disabled"),
    BulkAction.ADD_TAG: ("Add the tag to", "tagged"),
    BulkAction.REMOVE_TAG: ("Take the tag from", "rid of the tag"),
    BulkAction.SET_PRIORITY: ("Set the priority of", "given that priority"),
    BulkAction.DELETE: ("Delete", "deleted"),
    BulkAction.RESTORE: ("Restore", "restored"),
}


@ROUTES.post("/sources/bulk", include_in_schema=False)
async def bulk(visit: Visiting) -> Response:
    """Asks how many it would be, then does it."""
    form = await visit.form()
    back = form.text("back") or "/"
    try:
        order = _order(form)
        preview = await source_bulk.preview(visit.view.db, order)
    except BadInput as error:
        return await _again(visit, form, faults_of(error))
    label, done = _WORDS[order.action]
    question = f"{_asked(order)} {_counted(preview.matched)}?"
    if (answer := visit.confirm(form, question, label=label.split(" the ")[0], back=back)) is not None:
        return answer
    toggle = source_verbs.toggle_of(visit.view, visit.caller)
    report = await source_verbs.bulk(visit.view, order, toggle)
    return visit.done(_told(report, done), to=back)


async def _again(visit: Visit, form: Form, faults: Mapping[str, str]) -> Response:
    """The bar with what is wrong in it; a script leaves everything else as it is."""
    if visit.is_partial:
        answer = visit.part("sources/bar_faults.html", status=422, faults=faults)
        answer.headers["HX-Retarget"], answer.headers["HX-Reswap"] = "#bar-faults", "outerHTML"
        return answer
    typed = {name: form.text(name) for name in _NEEDED}
    bar = Bar(picked=form.many("ids"), everything=form.has("everything"), typed=typed, faults=faults)
    return await whole_page(visit, SourceQuery.of(dict(parse_qsl(parts_of(form.text("back")).query))), bar, status=422)


def _order(form: Form) -> BulkOrder:
    """What the bar says."""
    word = form.text("action")
    if word not in set(BulkAction):
        raise BadInput("choose what to do with them", field="action")
    action = BulkAction(word)
    for name, (actions, remedy) in _NEEDED.items():
        if action in actions and not form.text(name):
            raise BadInput(remedy, field=name)
    priority = form.text("to_priority") if action is BulkAction.SET_PRIORITY else ""
    return BulkOrder(
        action=action,
        ids=None if form.has("everything") else _ids(form),
        which=_which(form) if form.has("everything") else None,
        tag=form.text("with_tag"),
        priority=priority_number(priority) if priority else None,
    )


def _which(form: Form) -> SourceFilter:
    """The filter under which the list was shown."""
    query = SourceQuery.of({name: form.text(ONLY + name) for name in FILTERS})
    for name, fault in query.faults.items():
        raise BadInput(fault, field=name)
    return query.which


def _ids(form: Form) -> list[str]:
    """Those ticked on this page, and those ticked on others, which a script remembers."""
    named = [*form.many("ids"), *form.text("others").split()]
    try:
        ids = list(dict.fromkeys(str(UUID(public_id)) for public_id in named))
    except ValueError:
        raise BadInput("what was chosen are no sources", field="ids") from None
    if not ids:
        raise BadInput("choose at least one source", field="ids")
    return ids


def _asked(order: BulkOrder) -> str:
    match order.action:
        case BulkAction.ADD_TAG:
            return f"Add the tag {order.tag!r} to"
        case BulkAction.REMOVE_TAG:
            return f"Take the tag {order.tag!r} from"
    return _WORDS[order.action][0]


def _counted(number: int) -> str:
    return counted(number, "source")


def _told(report: BulkReport, done: str) -> str:
    """Changed, unchanged and refused, the refusals with their reasons."""
    said = [f"{_counted(report.changed)} {done}"]
    if report.unchanged:
        said.append(f"{report.unchanged} unchanged")
    if report.refused:
        reasons = Counter(refusal.message for refusal in report.refusals).most_common(_TOLD_REASONS)
        told = "; ".join(f"{reason} ({count})" if count > 1 else reason for reason, count in reasons)
        said.append(f"{report.refused} refused: {told}")
    return ", ".join(said) + "."
