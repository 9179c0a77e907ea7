"""`/settings/notifications/channels`: the ways to people. Their targets and secrets go in and never come out.

They are added and changed by administrators, for what is entered here says where data goes; operators test them.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import orjson
from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.access import Role
from lamplighter.model.notification import Channel, ChannelKind
from lamplighter.operations import notification_channels as operations
from lamplighter.operations import notification_rules, notifications
from lamplighter.operations.notification_channels import ChannelSettings
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.settings.notifications import BASE, LABELS
from lamplighter.web.dashboard.settings.tabs import tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
_PATH = f"{BASE}/channels"
_ONE = f"{_PATH}/{{channel_id}}"
_SHOWN_ENTRIES = 10
_KINDS = [
    (ChannelKind.WEBHOOK, "Webhook"),
    (ChannelKind.EMAIL, "E-mail"),
    (ChannelKind.SLACK, "Slack, or what takes the same"),
    (ChannelKind.NTFY, "ntfy"),
]
_AGAIN = "Type it again: what was typed here is not sent back."
#: what is kept of a form that comes back; what is secret is not
_FIELDS = ("name", "kind", "max_tries", "title_template", "body_template", "preview_kind")
_USUAL_TRIES = 8


@ROUTES.get(f"{_PATH}/new", role=Role.ADMIN, include_in_schema=False)
async def form_for_new(visit: Visiting) -> Response:
    """Where a channel is added."""
    return await _page(visit, None)


@ROUTES.post(_PATH, role=Role.ADMIN, include_in_schema=False)
async def add(visit: Visiting) -> Response:
    """Adds a channel, and goes where it can be tried."""
    form, view = await visit.form(), visit.view
    try:
        settings = ChannelSettings(
            name=form.text("name"),
            kind=form.text("kind"),
            target=form.text("target"),
            secret=form.as_typed("secret") or None,
            title_template=form.as_typed("title_template") or None,
            body_template=form.as_typed("body_template") or None,
            max_tries=form.whole_number("max_tries"),
        )
        channel = await view.db.write(
            lambda db: operations.add(db, settings, messenger=view.messenger, actor=visit.caller.name, now=visit.now)
        )
    except LamplighterError as error:
        return await _page(visit, None, form=form, faults=faults_of(error))
    return visit.done(f"{channel.name} was added. Test it, and add a rule.", to=f"{_PATH}/{channel.public_id}")


@ROUTES.get(_ONE, include_in_schema=False)
async def show(channel_id: UUID, visit: Visiting) -> Response:
    """How a channel fares, and where it is changed."""
    return await _page(visit, await _get(visit, channel_id))


@ROUTES.post(_ONE, role=Role.ADMIN, include_in_schema=False)
async def change(channel_id: UUID, visit: Visiting) -> Response:
    """Changes a channel; an empty target or secret leaves what there is, but a new target needs the secret anew."""
    channel, form = await _get(visit, channel_id), await visit.form()
    try:
        await _change(
            visit,
            channel,
            ChannelSettings(
                name=form.text("name"),
                target=form.text("target") or None,
                secret="" if form.has("forget_secret") else form.as_typed("secret") or None,
                title_template=form.as_typed("title_template"),
                body_template=form.as_typed("body_template"),
                max_tries=form.whole_number("max_tries"),
            ),
        )
    except LamplighterError as error:
        return await _page(visit, channel, form=form, faults=faults_of(error))
    return visit.done("The channel was changed.", to=f"{_PATH}/{channel_id}")


@ROUTES.post(f"{_ONE}/enable", role=Role.ADMIN, include_in_schema=False)
async def enable(channel_id: UUID, visit: Visiting) -> Response:
    """Switches a channel on."""
    channel = await _get(visit, channel_id)
    await _change(visit, channel, ChannelSettings(enabled=True))
    return visit.done(f"{channel.name} is on: what happens from now on is told.", to=f"{_PATH}/{channel_id}")


@ROUTES.post(f"{_ONE}/disable", role=Role.ADMIN, include_in_schema=False)
async def disable(channel_id: UUID, visit: Visiting) -> Response:
    """Switches a channel off."""
    channel, form = await _get(visit, channel_id), await visit.form()
    back = f"{_PATH}/{channel_id}"
    question = f"Switch {channel.name} off? What still waits to be sent by it is cancelled."
    if (asked := visit.confirm(form, question, label="Switch it off", back=back)) is not None:
        return asked
    await _change(visit, channel, ChannelSettings(enabled=False))
    return visit.done(f"{channel.name} is off: nothing is sent by it.", to=back)


@ROUTES.post(f"{_ONE}/remove", role=Role.ADMIN, include_in_schema=False)
async def remove(channel_id: UUID, visit: Visiting) -> Response:
    """Forgets a channel, its rules and its log."""
    channel, form = await _get(visit, channel_id), await visit.form()
    async with visit.view.db.read() as db:
        rules = len(await notification_rules.listed(db, channel=channel.public_id))
    with_rules = f" with its {rules} rule{'s' * (rules != 1)}" if rules else ""
    question = f"Delete {channel.name}{with_rules} and the log of what it sent? It cannot be undone."
    if (asked := visit.confirm(form, question, label="Delete it", back=f"{_PATH}/{channel_id}")) is not None:
        return asked
    await visit.view.db.write(
        lambda db: operations.remove(db, channel.public_id, actor=visit.caller.name, now=visit.now)
    )
    return visit.done(f"{channel.name} was deleted.", to=BASE)


@ROUTES.post(f"{_ONE}/test", include_in_schema=False)
async def test(channel_id: UUID, visit: Visiting) -> Response:
    """Sends a test, and says what came of it."""
    channel, form, view = await _get(visit, channel_id), await visit.form(), visit.view
    began = view.clock.monotonic()
    told = await notifications.test(view.db, view.messenger, channel.public_id, actor=visit.caller.name, now=visit.now)
    took = round(1000 * (view.clock.monotonic() - began))
    said = f"sent: {told.detail} in {took:,} ms" if told.is_delivered else f"failed: {told.detail}"
    return visit.done(f"Test of {channel.name} {said}", to=form.text("back") or f"{_PATH}/{channel_id}")


@ROUTES.post(f"{BASE}/preview", include_in_schema=False)
async def preview(visit: Visiting) -> Response:
    """What the templates of the form make of a happening; without scripts on the page with the form."""
    form = await visit.form()
    if not visit.is_partial:
        channel = form.text("channel")
        return await _page(visit, await _get(visit, channel) if channel else None, form=form, faults={})
    shown = _previewed(visit, {name: form.text(name) for name in _FIELDS})
    return visit.part("settings/notifications/preview.html", status=422 if shown["unusable"] else 200, **shown)


async def _get(visit: Visit, public_id: UUID | str) -> Channel:
    async with visit.view.db.read() as db:
        return await operations.get(db, str(public_id))


async def _change(visit: Visit, channel: Channel, settings: ChannelSettings) -> None:
    messenger, actor = visit.view.messenger, visit.caller.name
    await visit.view.db.write(
        lambda db: operations.change(db, channel.public_id, settings, messenger=messenger, actor=actor, now=visit.now)
    )


async def _page(
    visit: Visit, channel: Channel | None, *, form: Form | None = None, faults: Mapping[str, str] | None = None
) -> Response:
    """The page of a channel or of a new one; after a form that came back, with what was typed and is not secret."""
    given = _filled_in(channel) if form is None else {name: form.text(name) for name in _FIELDS}
    told = dict(faults or {})
    if form is not None:
        told |= {name: _AGAIN for name in ("target", "secret") if form.text(name) and name not in told}
    shown: dict[str, Any] = {"channel": channel, "given": given, "faults": told, "kinds": _KINDS, "labels": LABELS}
    shown |= {"placeholders": notifications.PLACEHOLDERS, "kind_choices": _preview_choices()}
    async with visit.view.db.read() as db:
        if channel is not None:
            shown["rules"] = await notification_rules.listed(db, channel=channel.public_id)
            shown["entries"], shown["total"] = await notifications.log(
                db, channel=channel.public_id, limit=_SHOWN_ENTRIES, offset=0
            )
    status = 422 if faults else 200
    template = "settings/notifications/channel.html"
    return visit.page(template, status=status, tabs=tabs_for(visit), **shown, **_previewed(visit, given))


def _filled_in(channel: Channel | None) -> dict[str, str]:
    """What stands in the form before anybody typed."""
    usual = dict.fromkeys(_FIELDS, "") | {
        "kind": str(ChannelKind.WEBHOOK),
        "max_tries": str(_USUAL_TRIES),
        "preview_kind": _preview_choices()[0][0],
    }
    if channel is None:
        return usual
    return usual | {
        "name": channel.name,
        "kind": str(channel.kind),
        "max_tries": str(channel.max_tries),
        "title_template": channel.title_template or "",
        "body_template": channel.body_template or "",
    }


def _preview_choices() -> list[tuple[str, str]]:
    return [(each.kind, each.label) for each in notifications.KINDS]


def _previewed(visit: Visit, given: Mapping[str, str]) -> dict[str, Any]:
    """What the templates come to, or why they cannot be used."""
    kinds = dict(_preview_choices())
    kind = given["preview_kind"] if given["preview_kind"] in kinds else next(iter(kinds))
    try:
        found = notifications.preview(
            kind,
            title_template=given["title_template"] or None,
            body_template=given["body_template"] or None,
            public_url=visit.view.settings.public_url,
        )
    except BadInput as error:
        return {"preview": None, "payload": "", "unusable": str(error)}
    payload = orjson.dumps(found.payload, option=orjson.OPT_INDENT_2).decode()
    return {"preview": found, "payload": payload, "unusable": ""}
