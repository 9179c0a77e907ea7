"""`/settings/notifications/rules`: of which happenings which channel tells."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, BadUrl, LamplighterError, NotFound
from lamplighter.operations import notification_channels, notifications, sources, tags
from lamplighter.operations import notification_rules as operations
from lamplighter.operations.notification_rules import RuleSettings, RuleView
from lamplighter.store.database import Connection
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.settings.notifications import BASE, LABELS
from lamplighter.web.dashboard.settings.tabs import tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting
from lamplighter.web.paths import local_path

ROUTES = Routes("", tag="dashboard")
_PATH = f"{BASE}/rules"
_ONE = f"{_PATH}/{{rule_id}}"
_FIELDS = ("channel", "kind", "scope", "tag", "source", "threshold", "digest_minutes")
_SCOPES = [("all", "any source, and the installation"), ("tag", "sources with a tag"), ("source", "one source")]
#: tags that a field proposes
_MOST_TAGS = 200
_LONGEST = 4096


@ROUTES.get(f"{_PATH}/new", include_in_schema=False)
async def form_for_new(visit: Visiting) -> Response:
    """Where a rule is added; a link may say of what: source, tag, kind, channel, and where it came from."""
    asked = {name: visit.request.query_params.get(name, "")[:_LONGEST] for name in (*_FIELDS, "back")}
    scope = "source" if asked["source"] else "tag" if asked["tag"] else "all"
    given = {"threshold": "1", "enabled": "1"} | {name: word for name, word in asked.items() if word}
    return await _page(visit, None, given=given | {"scope": scope})


@ROUTES.post(_PATH, include_in_schema=False)
async def add(visit: Visiting) -> Response:
    """Adds a rule."""
    form = await visit.form()
    try:
        await visit.view.db.write(lambda db: _add(db, form, visit))
    except LamplighterError as error:
        return await _page(visit, None, given=dict(form.fields()), faults=faults_of(error))
    return visit.done("The rule was added.", to=form.text("back") or BASE)


async def _add(db: Connection, form: Form, visit: Visit) -> RuleView:
    return await operations.add(db, await _settings_of(db, form), actor=visit.caller.name, now=visit.now)


@ROUTES.get(_ONE, include_in_schema=False)
async def show(rule_id: UUID, visit: Visiting) -> Response:
    """Where a rule is changed."""
    view = await _get(visit, rule_id)
    return await _page(visit, view, given=_filled_in(view))


@ROUTES.post(_ONE, include_in_schema=False)
async def change(rule_id: UUID, visit: Visiting) -> Response:
    """Makes a rule what the form says."""
    view, form = await _get(visit, rule_id), await visit.form()
    try:
        await visit.view.db.write(lambda db: _change(db, view, form, visit))
    except LamplighterError as error:
        return await _page(visit, view, given=dict(form.fields()), faults=faults_of(error))
    return visit.done("The rule was changed.", to=BASE)


async def _change(db: Connection, view: RuleView, form: Form, visit: Visit) -> RuleView:
    settings = await _settings_of(db, form)
    return await operations.change(db, view.rule.public_id, settings, actor=visit.caller.name, now=visit.now)


@ROUTES.post(f"{_ONE}/switch", include_in_schema=False)
async def switch(rule_id: UUID, visit: Visiting) -> Response:
    """Switches a rule on or off, as the form says."""
    view, form = await _get(visit, rule_id), await visit.form()
    enabled = form.text("enabled") == "1"
    await visit.view.db.write(
        lambda db: operations.change(
            db, view.rule.public_id, RuleSettings(enabled=enabled), actor=visit.caller.name, now=visit.now
        )
    )
    return visit.done(f"The rule is {'on' if enabled else 'off'}.", to=form.text("back") or BASE)


@ROUTES.post(f"{_ONE}/remove", include_in_schema=False)
async def remove(rule_id: UUID, visit: Visiting) -> Response:
    """Forgets a rule."""
    view, form = await _get(visit, rule_id), await visit.form()
    question = f"Delete the rule by which {view.channel_name} tells of “{LABELS.get(view.rule.kind, view.rule.kind)}”?"
    if (asked := visit.confirm(form, question, label="Delete it", back=BASE)) is not None:
        return asked
    await visit.view.db.write(
        lambda db: operations.remove(db, view.rule.public_id, actor=visit.caller.name, now=visit.now)
    )
    return visit.done("The rule was deleted.", to=BASE)


async def _get(visit: Visit, rule_id: UUID) -> RuleView:
    async with visit.view.db.read() as db:
        return await operations.get(db, str(rule_id))


async def _page(
    visit: Visit, view: RuleView | None, *, given: Mapping[str, str], faults: Mapping[str, str] | None = None
) -> Response:
    async with visit.view.db.read() as db:
        channels = await notification_channels.listed(db)
        proposed, _ = await tags.page(db, limit=_MOST_TAGS, offset=0)
    # Whoever made the link or the form: "Cancel" leads to a page of ours.
    back = {"back": local_path(given["back"]) if given.get("back") else ""}
    shown: dict[str, Any] = {
        "view": view,
        "given": dict.fromkeys(_FIELDS, "") | dict(given) | back,
        "is_on": "enabled" in given,
        "faults": faults or {},
        "channels": [(each.public_id, f"{each.name} ({each.kind})") for each in channels],
        "kinds": notifications.KINDS,
        "kind_choices": [(each.kind, each.label) for each in notifications.KINDS],
        "scopes": _SCOPES,
        "proposed": [each.settings.tag for each in proposed],
    }
    status = 422 if faults else 200
    return visit.page("settings/notifications/rule.html", status=status, tabs=tabs_for(visit), **shown)


def _filled_in(view: RuleView) -> dict[str, str]:
    """What stands in the form before anybody typed."""
    rule = view.rule
    filled = {
        "channel": view.channel_public_id,
        "kind": rule.kind,
        "scope": "source" if rule.source_id is not None else "tag" if rule.tag is not None else "all",
        "tag": rule.tag or "",
        "source": view.source_public_id or "",
        "threshold": str(rule.threshold),
        "digest_minutes": str(rule.digest_minutes or ""),
    }
    return filled | ({"enabled": "1"} if rule.enabled else {})


async def _settings_of(db: Connection, form: Form) -> RuleSettings:
    """What the form says of a rule; an empty number is the usual one."""
    scope = form.text("scope")
    threshold, minutes = form.whole_number("threshold"), form.whole_number("digest_minutes")
    return RuleSettings(
        channel=form.text("channel"),
        kind=form.text("kind"),
        source=await _source_of(db, form.text("source")) if scope == "source" else "",
        tag=_tag_of(form.as_typed("tag")) if scope == "tag" else "",
        threshold=1 if threshold is None else threshold,
        digest_minutes=minutes or 0,
        enabled=form.has("enabled"),
    )


def _tag_of(text: str) -> str:
    if not text:
        raise BadInput("name the tag, or choose any source", field="tag")
    return text


async def _source_of(db: Connection, text: str) -> str:
    """The public id of the source that somebody means by its id or its URL."""
    try:
        return str((await sources.find(db, UUID(text))).public_id)
    except (ValueError, NotFound):
        pass
    try:
        return str((await sources.find_by_url(db, text)).public_id)
    except (BadUrl, NotFound):
        message = f"no source has the URL or the id {text[:200]!r}; both stand on its page"
        raise BadInput(message, field="source") from None
