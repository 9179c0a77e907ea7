"""The edit form of a source."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response

from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.schedule import PolicyName
from lamplighter.model.source import Source
from lamplighter.operations.sources import source_input, sources
from lamplighter.operations.sources.source_edits import SourceChangeContext, refuse_deleted
from lamplighter.operations.sources.source_fields import COLUMNS, altered, row_from
from lamplighter.operations.sources.source_input import NewSource, check, input_of
from lamplighter.operations.sources.source_words import typed_depth
from lamplighter.rules.schedule import country_zones, window, window_text
from lamplighter.store.engine.database import Connection
from lamplighter.web import source_verbs
from lamplighter.web.dashboard.forms import SubmittedForm, each_fault, faults_of, meant_by
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.sources.add_source import KINDS, ORGANISATIONS
from lamplighter.web.dashboard.sources.source_head import SourceHead, head_of, source_page
from lamplighter.web.routes import Pages

ROUTES = Pages()
_BOXES = ("enabled", "recurring")
_TEXTS = tuple(name for name in COLUMNS if name not in _BOXES)
_POLICIES = [("", "default of its tags or the installation"), *((str(name), str(name)) for name in PolicyName)]


class _Overtaken(NotPossible):
    """Another user saved the source while it was being edited."""


@ROUTES.get("/sources/{source_id}/edit")
async def edit(source_id: UUID, request: ThisRequest) -> Response:
    """The edit form with all settings of the source."""
    head = await head_of(request, source_id)
    refuse_deleted(head.source)
    return _form_page(request, head, _as_stored(head))


@ROUTES.post("/sources/{source_id}/edit")
async def save(source_id: UUID, request: ThisRequest) -> Response:
    """Saves the source."""
    form, head = await request.form(), await head_of(request, source_id)
    try:
        context = source_verbs.change_context(request.view, request.caller)
        await source_verbs.do(request.view, source_id, _saving(form), context)
    except _Overtaken as error:
        head, typed = await head_of(request, source_id), _typed(form)
        return _form_page(request, head, typed, stored=_other(head, typed), faults=faults_of(error))
    except (BadInput, NotPossible) as error:
        return _form_page(request, head, _typed(form), faults=_faults(head, form, error))
    return request.done(f"{head.source.name} was saved.", to=head.path)


@ROUTES.get("/sources/{source_id}/windows")
async def read_windows(
    source_id: UUID,
    request: ThisRequest,
    windows: Annotated[str, Query(max_length=4000)] = "",
    country: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Explains crawl windows while they are typed."""
    await head_of(request, source_id)
    return request.part("sources/one/windows.html", reads=_reading(windows, country, now=request.now))


def _form_page(
    request: PageRequest,
    head: SourceHead,
    typed: Mapping[str, str],
    *,
    stored: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
) -> Response:
    return source_page(
        request,
        "sources/one/edit.html",
        head=head,
        typed=typed,
        stored=stored or {},
        faults=faults or {},
        seen=head.source.updated_at.isoformat(),
        kinds=KINDS,
        organisations=ORGANISATIONS,
        policies=_POLICIES,
        reads=_reading(typed["windows"], typed["country"], now=request.now),
    )


def _as_stored(head: SourceHead) -> dict[str, str]:
    """The stored values of the form fields."""
    row = row_from(input_of(head.source, head.tags))
    row |= {
        "tags": ", ".join(row["tags"]),
        "recipe": json.dumps(row["recipe"], indent=2, ensure_ascii=False) if row["recipe"] else "",
    }
    texts = {name: "" if row[name] is None else str(row[name]) for name in _TEXTS}
    return texts | {name: "1" if row[name] else "" for name in _BOXES}


def _typed(form: SubmittedForm) -> dict[str, str]:
    return {name: form.text(name) for name in (*_TEXTS, *_BOXES)}


def _other(head: SourceHead, typed: Mapping[str, str]) -> dict[str, str]:
    """The stored values that differ from the typed ones."""
    # Browsers send CRLF line breaks.
    same = {name: text.replace("\r\n", "\n") for name, text in typed.items()}
    return {name: text for name, text in _as_stored(head).items() if text != same[name]}


def _saving(form: SubmittedForm) -> source_verbs.Work:
    """Saves the source, unless it changed since the form was shown."""
    altering = source_verbs.altering(lambda submitted: _altered(submitted, form))

    async def work(db: Connection, source: Source, context: SourceChangeContext) -> None:
        # Checked under the row lock: of two users who save at the same moment, one is refused.
        held = await sources.hold(db, source)
        _refuse_overwriting(held, form)
        await altering(db, held, context)

    return work


def _altered(submitted: NewSource, form: SubmittedForm, names: Sequence[str] = (*_TEXTS, *_BOXES)) -> NewSource:
    """The source with the values of the form; BadInput names the invalid field."""
    row: dict[str, Any] = {name: form.text(name) for name in _TEXTS if name in names}
    row |= {name: form.has(name) for name in _BOXES if name in names}
    if "url" in row:
        row["url"] = meant_by(row["url"])
    if "recipe" in row:
        row["recipe"] = _recipe(row["recipe"])
    if "max_depth" in row:
        typed_depth(row["max_depth"])
    return altered(submitted, row)


def _faults(head: SourceHead, form: SubmittedForm, error: BadInput | NotPossible) -> Mapping[str, str]:
    """The error of each form field."""
    stored = input_of(head.source, head.tags)
    return each_fault(error, _TEXTS, lambda name: check(_altered(stored, form, (name,))))


def _recipe(text: str) -> Any:
    """Parses typed JSON; the error names the line and column."""
    try:
        return json.loads(text) if text else None
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}", field="recipe") from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of brackets
        raise BadInput(f"not valid JSON: {error}", field="recipe") from None


def _refuse_overwriting(source: Source, form: SubmittedForm) -> None:
    """Refuses to overwrite changes that another user saved in the meantime."""
    if form.text("seen") != source.updated_at.isoformat():
        message = "another user changed this source while you were editing; the stored value is shown below each field "
        raise _Overtaken(f"{message}that differs. Check it, and save again")


def _reading(windows: str, country: str, *, now: datetime) -> str:
    """The windows in full, whether they are open now, and when that changes."""
    if not windows.strip():
        return "Without windows, crawling is allowed at any time."
    zone = country_zones.zone_of(country.upper()) if country else None
    try:
        read = source_input.read_windows(windows, zone=zone)
    except BadInput as error:
        return f"Invalid: {error}"
    opens = window.next_opening(read, now)
    if opens is not None and opens > now:
        state = f"closed now, opens {opens:%a %Y-%m-%d %H:%M} UTC"
    else:
        closes = window.closes_at(read, now)
        state = f"open now, until {closes:%a %Y-%m-%d %H:%M} UTC" if closes is not None else "open now"
    return f"Reads as: {window_text.describe(read)}; {state}."
