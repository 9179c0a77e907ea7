"""`/settings/tags`: tags and the settings that sources inherit from them."""

from datetime import timedelta
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput
from lamplighter.model.schedule import PolicyName
from lamplighter.operations.sources import tags
from lamplighter.operations.sources.source_input import checked_tags
from lamplighter.rules.schedule import window_text
from lamplighter.store.sources.tags import CountedTag
from lamplighter.web.dashboard.forms import faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, settings_list, settings_page
from lamplighter.web.routes import Pages
from lamplighter.web.values import Line
from lamplighter.web.words import counted

ROUTES = Pages()
_PATH = "/settings/tags"
_POLICIES = [("", "installation default"), *((name, str(name).replace("_", " ")) for name in PolicyName)]


@ROUTES.get(_PATH)
async def listed(request: ThisRequest) -> Response:
    """All tags with their number of sources and their settings."""
    found, total = await request.read(lambda db: tags.page(db, limit=LIMIT, offset=offset_of(request)))
    return settings_list(request, "settings/tags.html", lines=[(tag, _said(tag)) for tag in found], total=total)


@ROUTES.get(f"{_PATH}/edit", role="operator")
async def edit(request: ThisRequest, tag: Line = "") -> Response:
    """The form for a tag's settings, or for a new tag."""
    if not tag:
        return _form(request, {}, is_new=True)
    found = await request.read(lambda db: tags.get(db, tag))
    return _form(request, _said(found) | {"tag": tag}, is_new=False)


@ROUTES.post(f"{_PATH}/edit")
async def put(request: ThisRequest) -> Response:
    """Saves the settings of a tag."""
    form = await request.form()
    name, said = form.text("tag"), {key: form.text(key) for key in tags.SAID}
    try:
        saved = await request.write(lambda db: tags.put(db, name, said, stamp=request.stamp))
    except BadInput as error:
        # An invalid tag name.
        if error.field == "tags":
            error.field = "tag"
        said |= {"tag": name}
        return _form(request, said, is_new=form.has("is_new"), faults=faults_of(error))
    count = saved.source_count
    effect = f"{count:,} source{'s inherit' if count != 1 else ' inherits'} it within minutes" if count else "saved"
    return request.done(f"{saved.settings.tag}: {effect}.", to=_PATH)


@ROUTES.post(f"{_PATH}/rename")
async def rename(request: ThisRequest) -> Response:
    """Renames a tag, or merges it into an existing one."""
    form = await request.form()
    name, to = form.text("tag"), form.text("to")
    found = await request.read(lambda db: tags.get(db, name))
    try:
        checked_tags([to])
    except BadInput as error:
        return _form(request, _said(found) | {"tag": name}, is_new=False, to=to, faults={"to": str(error)})
    question = (
        f"Rename the tag {name} to {to} on {counted(found.source_count, 'source')}? If the tag {to} "
        "exists already, the two are merged, and its settings apply."
    )
    request.confirm(form, question, label="Rename", back=_PATH)
    await request.write(lambda db: tags.rename(db, name, to, stamp=request.stamp))
    return request.done(f"{name} was renamed to {to}.", to=_PATH)


@ROUTES.post(f"{_PATH}/delete")
async def delete(request: ThisRequest) -> Response:
    """Deletes a tag and removes it from every source."""
    form = await request.form()
    name = form.text("tag")
    count = (await request.read(lambda db: tags.get(db, name))).source_count
    question = f"Remove the tag {name} from {counted(count, 'source')}, and delete its settings? The sources stay."
    request.confirm(form, question, label="Delete the tag", back=_PATH)
    await request.write(lambda db: tags.remove(db, name, stamp=request.stamp))
    return request.done(f"The tag {name} was deleted.", to=_PATH)


def _form(request: PageRequest, said: dict[str, Any], **shown: Any) -> Response:
    shown = {"to": said.get("tag", ""), "given": said, "policies": _POLICIES} | shown
    return settings_page(request, "settings/tag_form.html", **shown)


def _said(counted: CountedTag) -> dict[str, Any]:
    """The form values of a tag's settings."""
    settings = counted.settings
    spans = {f"{name}_minutes": getattr(settings, name) for name in ("interval", "min_interval", "max_interval")}
    return {
        "policy": settings.policy or "",
        **{name: "" if span is None else f"{span / timedelta(minutes=1):g}" for name, span in spans.items()},
        "windows": window_text.describe(settings.windows) if settings.windows else "",
        "max_pages": "" if settings.max_pages is None else str(settings.max_pages),
    }
