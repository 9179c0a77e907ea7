"""`/settings/tags`: labels of sources, and what sources inherit from them."""

from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.model.schedule import PolicyName
from lamplighter.operations import tags
from lamplighter.operations.source_wish import checked_tags
from lamplighter.rules import window_text
from lamplighter.store.tags import CountedTag
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import Line
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.words import counted

ROUTES = Routes("", tag="dashboard")
_PATH = "/settings/tags"
_POLICIES = [("", "as the installation says"), *((name, str(name).replace("_", " ")) for name in PolicyName)]


@ROUTES.get(_PATH, include_in_schema=False)
async def listed(visit: Visiting) -> Response:
    """All tags, how many sources carry each, and what those inherit."""
    offset = offset_of(visit)
    async with visit.view.db.read() as db:
        found, total = await tags.page(db, limit=LIMIT, offset=offset)
    lines = [(tag, _said(tag)) for tag in found]
    return visit.page("settings/tags.html", tabs=tabs_for(visit), lines=lines, total=total, offset=offset, limit=LIMIT)


@ROUTES.get(f"{_PATH}/edit", role="operator", include_in_schema=False)
async def edit(visit: Visiting, tag: Line = "") -> Response:
    """What one tag says; without a name, the form for a new one."""
    if not tag:
        return _form(visit, {}, is_new=True)
    async with visit.view.db.read() as db:
        found = await tags.get(db, tag)
    return _form(visit, _said(found) | {"tag": tag}, is_new=False)


@ROUTES.post(f"{_PATH}/edit", include_in_schema=False)
async def put(visit: Visiting) -> Response:
    """Says what sources with a tag inherit."""
    form = await visit.form()
    name, said = form.text("tag"), {key: form.text(key) for key in tags.SAID}
    try:
        saved = await visit.view.db.write(lambda db: tags.put(db, name, said, actor=visit.caller.name, now=visit.now))
    except BadInput as error:
        # A name that no tag can have.
        if error.field == "tags":
            error.field = "tag"
        said |= {"tag": name}
        return _form(visit, said, is_new=form.has("is_new"), status=422, faults=faults_of(error))
    count = saved.source_count
    told = f"{count:,} source{'s inherit' if count != 1 else ' inherits'} it within minutes" if count else "saved"
    return visit.done(f"{saved.settings.tag}: {told}.", to=_PATH)


@ROUTES.post(f"{_PATH}/rename", include_in_schema=False)
async def rename(visit: Visiting) -> Response:
    """Gives the sources of a tag another one in its place."""
    form = await visit.form()
    name, to = form.text("tag"), form.text("to")
    async with visit.view.db.read() as db:
        found = await tags.get(db, name)
    try:
        checked_tags([to])
    except BadInput as error:
        return _form(visit, _said(found) | {"tag": name}, is_new=False, status=422, to=to, faults={"to": str(error)})
    question = (
        f"Call the tag {name} {to} instead, on {counted(found.source_count, 'source')}? Where there is a tag {to} "
        "already, the two become one, and what that one says holds."
    )
    asked = visit.confirm(form, question, label="Rename", back=_PATH)
    if asked is not None:
        return asked
    await visit.view.db.write(lambda db: tags.rename(db, name, to, actor=visit.caller.name, now=visit.now))
    return visit.done(f"{name} is called {to} now.", to=_PATH)


@ROUTES.post(f"{_PATH}/delete", include_in_schema=False)
async def delete(visit: Visiting) -> Response:
    """Takes a tag from every source."""
    form = await visit.form()
    name = form.text("tag")
    async with visit.view.db.read() as db:
        count = (await tags.get(db, name)).source_count
    question = f"Take the tag {name} from {counted(count, 'source')}, and forget what it says? The sources stay."
    asked = visit.confirm(form, question, label="Delete the tag", back=_PATH)
    if asked is not None:
        return asked
    await visit.view.db.write(lambda db: tags.remove(db, name, actor=visit.caller.name, now=visit.now))
    return visit.done(f"The tag {name} is gone.", to=_PATH)


def _form(visit: Visit, said: dict[str, Any], *, is_new: bool, status: int = 200, **shown: Any) -> Response:
    shown = {"faults": {}, "to": said.get("tag", ""), **shown}
    return visit.page(
        "settings/tag_form.html",
        status=status,
        tabs=tabs_for(visit),
        told=said,
        is_new=is_new,
        policies=_POLICIES,
        **shown,
    )


def _said(counted: CountedTag) -> dict[str, Any]:
    """What a tag says, as a form has it."""
    settings = counted.settings
    windows, _ = window_text.loaded(settings.windows or [])
    spans = {
        f"{name}_minutes": getattr(settings, f"{name}_seconds") for name in ("interval", "min_interval", "max_interval")
    }
    return {
        "policy": settings.policy or "",
        **{name: "" if seconds is None else f"{seconds / 60:g}" for name, seconds in spans.items()},
        "windows": window_text.describe(windows) if windows else "",
        "max_pages": "" if settings.max_pages is None else str(settings.max_pages),
    }
