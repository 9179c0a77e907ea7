"""Changing what is watched and how."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response

from lamplighter.errors import BadInput, NotPossible
from lamplighter.model.schedule import PolicyName
from lamplighter.operations import source_wish, sources
from lamplighter.operations.source_edits import Toggle, refuse_deleted
from lamplighter.operations.source_rows import altered, row_from
from lamplighter.operations.source_wish import NewSource, check, wish_of
from lamplighter.rules import country_zones, window, window_text
from lamplighter.store.database import Connection
from lamplighter.store.sources import SourceRow
from lamplighter.web.api import source_verbs
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.add_form import KINDS, ORGANISATIONS
from lamplighter.web.dashboard.addresses import meant_by
from lamplighter.web.dashboard.forms import Form, each_fault, faults_of
from lamplighter.web.dashboard.source_head import SourceHead, head_of, source_page
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_TEXTS = (
    *("name", "url", "kind", "priority", "tags", "interval_minutes", "min_interval_minutes", "max_interval_minutes"),
    *("policy", "windows", "country", "organisation_type", "rate_limit", "max_pages", "recipe"),
)
_BOXES = ("enabled", "recurring")
_POLICIES = [("", "as its tags or the installation say"), *((str(name), str(name)) for name in PolicyName)]


class _Overtaken(NotPossible):
    """Somebody else saved the source while it was being edited."""


@ROUTES.get("/sources/{source_id}/edit", include_in_schema=False)
async def edit(source_id: UUID, visit: Visiting) -> Response:
    """Everything that can be said of a source."""
    head = await head_of(visit, source_id)
    refuse_deleted(head.source)
    return _form_page(visit, head, _as_stored(head))


@ROUTES.post("/sources/{source_id}/edit", include_in_schema=False)
async def save(source_id: UUID, visit: Visiting) -> Response:
    """Makes the source what the form says."""
    form, head = await visit.form(), await head_of(visit, source_id)
    try:
        toggle = source_verbs.toggle_of(visit.view, visit.caller)
        await source_verbs.do(visit.view, source_id, _saving(form), toggle)
    except _Overtaken as error:
        head, typed = await head_of(visit, source_id), _typed(form)
        return _form_page(visit, head, typed, stored=_other(head, typed), faults=faults_of(error), status=422)
    except (BadInput, NotPossible) as error:
        return _form_page(visit, head, _typed(form), faults=_faults(head, form, error), status=422)
    return visit.done(f"{head.source.name} is saved.", to=head.path)


@ROUTES.get("/sources/{source_id}/windows", include_in_schema=False)
async def read_windows(
    source_id: UUID,
    visit: Visiting,
    windows: Annotated[str, Query(max_length=4000)] = "",
    country: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """How windows read while somebody writes them."""
    await head_of(visit, source_id)
    return visit.part("source/windows.html", reads=_reading(windows, country, now=visit.now))


def _form_page(
    visit: Visit,
    head: SourceHead,
    typed: Mapping[str, str],
    *,
    stored: Mapping[str, str] | None = None,
    faults: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    return source_page(
        visit,
        "source/edit.html",
        head=head,
        status=status,
        typed=typed,
        stored=stored or {},
        faults=faults or {},
        seen=head.source.updated_at.isoformat(),
        kinds=KINDS,
        organisations=ORGANISATIONS,
        policies=_POLICIES,
        reads=_reading(typed["windows"], typed["country"], now=visit.now),
    )


def _as_stored(head: SourceHead) -> dict[str, str]:
    """What the form shows of a source before anybody typed."""
    row = row_from(wish_of(head.source, head.tags))
    row |= {
        "tags": ", ".join(row["tags"]),
        "recipe": json.dumps(row["recipe"], indent=2, ensure_ascii=False) if row["recipe"] else "",
    }
    texts = {name: "" if row[name] is None else str(row[name]) for name in (*_TEXTS, "max_depth")}
    return texts | {name: "1" if row[name] else "" for name in _BOXES}


def _typed(form: Form) -> dict[str, str]:
    return {name: form.text(name) for name in (*_TEXTS, "max_depth", *_BOXES)}


def _other(head: SourceHead, typed: Mapping[str, str]) -> dict[str, str]:
    """What is stored where something else was typed."""
    # Browsers send the lines of a text with other ends.
    same = {name: text.replace("\r\n", "\n") for name, text in typed.items()}
    return {name: text for name, text in _as_stored(head).items() if text != same[name]}


def _saving(form: Form) -> source_verbs.Work:
    """Makes the source what the form says, unless it is no longer the one that the form showed."""
    altering = source_verbs.altering(lambda wish: _altered(wish, form))

    async def work(db: Connection, source: SourceRow, toggle: Toggle) -> None:
        # Looked at while nobody else can change it: of two who save at the same moment, one is refused.
        held = await sources.hold(db, source)
        _refuse_overwriting(held, form)
        await altering(db, held, toggle)

    return work


def _altered(wish: NewSource, form: Form, names: Sequence[str] = (*_TEXTS, *_BOXES, "max_depth")) -> NewSource:
    """The source with what the form says in these fields; BadInput names the one that cannot be read."""
    row: dict[str, Any] = {name: form.text(name) for name in _TEXTS if name in names}
    row |= {name: form.has(name) for name in _BOXES if name in names}
    if "url" in row:
        row["url"] = meant_by(row["url"])
    if "recipe" in row:
        row["recipe"] = _recipe(row["recipe"])
    # In files a depth of 0 means "as usual"; who types it here means this page alone.
    depth = form.whole_number("max_depth") if "max_depth" in names else None
    changed = altered(wish, row)
    return changed if depth is None else replace(changed, max_depth=depth)


def _faults(head: SourceHead, form: Form, error: BadInput | NotPossible) -> Mapping[str, str]:
    """What is wrong, beside each field of the form."""
    stored = wish_of(head.source, head.tags)
    return each_fault(error, (*_TEXTS, "max_depth"), lambda name: check(_altered(stored, form, (name,))))


def _recipe(text: str) -> Any:
    """JSON that somebody wrote, with the place where it cannot be read."""
    try:
        return json.loads(text) if text else None
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}", field="recipe") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, thousands of brackets
        raise BadInput(f"not JSON that can be read: {error}", field="recipe") from None


def _refuse_overwriting(source: SourceRow, form: Form) -> None:
    """What somebody else saved meanwhile is not overwritten unseen."""
    if form.text("seen") != source.updated_at.isoformat():
        message = "somebody changed this source while you were editing; what is stored now stands below each field "
        raise _Overtaken(f"{message}that differs. Look at it, and save once more")


def _reading(windows: str, country: str, *, now: datetime) -> str:
    """How windows read: in full, whether they are open now, and until or from when."""
    if not windows.strip():
        return "Without windows it may be crawled at any time."
    zone = country_zones.zone_of(country.upper()) if country else None
    try:
        read = source_wish.checked_windows(windows, zone=zone)
    except BadInput as error:
        return f"Cannot be read: {error}"
    opens = window.next_opening(read, now)
    if opens is not None and opens > now:
        state = f"shut now, opens {opens:%a %Y-%m-%d %H:%M} UTC"
    else:
        closes = window.closes_at(read, now)
        state = f"open now, until {closes:%a %Y-%m-%d %H:%M} UTC" if closes is not None else "open now"
    return f"Reads as: {window_text.describe(read)}; {state}."
