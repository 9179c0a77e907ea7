"""`/settings/notifications/channels`: notification channels; their targets and secrets are never shown.

Only admins add and change channels, because a channel decides where data goes; operators can test them.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from fastapi import Response

from lamplighter.errors import BadInput, LamplighterError
from lamplighter.model.access import Role
from lamplighter.model.notification import Channel, ChannelKind
from lamplighter.operations.alerts import notification_channels as operations
from lamplighter.operations.alerts import notification_rules, notifications
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.operations.alerts.notifications import PreviewRequest
from lamplighter.rules.alerts.notification_template import PLACEHOLDERS
from lamplighter.web.dashboard.alerts.notifications import BASE, LABELS, preview_shown
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import settings_page
from lamplighter.web.routes import Pages

ROUTES = Pages()
_PATH = f"{BASE}/channels"
_ONE = f"{_PATH}/{{channel_id}}"
_SHOWN_ENTRIES = 10
_AGAIN = "Type it again: a page never shows a password."
_KINDS = [
    (ChannelKind.WEBHOOK, "Webhook"),
    (ChannelKind.EMAIL, "E-mail"),
    (ChannelKind.SLACK, "Slack or compatible"),
    (ChannelKind.NTFY, "ntfy"),
]
#: the fields that a form shows again after a preview or a fault; a password is not among them
_FIELDS = (
    *("name", "kind", "target", "max_tries", "max_per_minute"),
    *("title_template", "body_template", "preview_kind"),
)
_USUAL_TRIES = 8


@ROUTES.get(f"{_PATH}/new", role=Role.ADMIN)
async def form_for_new(request: ThisRequest) -> Response:
    """The form for a new channel."""
    return await _page(request, None)


@ROUTES.post(_PATH, role=Role.ADMIN)
async def add(request: ThisRequest) -> Response:
    """Adds a channel and shows it."""
    form, view = await request.form(), request.view
    try:
        settings = ChannelSettings(
            name=form.text("name"),
            kind=form.text("kind"),
            target=form.text("target"),
            secret=form.as_typed("secret") or None,
            title_template=form.as_typed("title_template") or None,
            body_template=form.as_typed("body_template") or None,
            max_tries=form.whole_number("max_tries"),
            max_per_minute=form.whole_number("max_per_minute"),
        )
        channel = await view.db.write(
            lambda db: operations.add(db, settings, messenger=view.connections.messenger, stamp=request.stamp)
        )
    except LamplighterError as error:
        return await _page(request, None, form=form, faults=faults_of(error))
    return request.done(f"{channel.name} was added. Test it, and add a rule.", to=f"{_PATH}/{channel.public_id}")


@ROUTES.get(_ONE)
async def show(channel_id: UUID, request: ThisRequest) -> Response:
    """The page of a channel: health, edit form and rules."""
    return await _page(request, await _get(request, channel_id))


@ROUTES.post(_ONE, role=Role.ADMIN)
async def change(channel_id: UUID, request: ThisRequest) -> Response:
    """Saves a channel; an empty target or secret keeps the stored one, but a new target needs the secret again."""
    channel, form = await _get(request, channel_id), await request.form()
    try:
        await _change(
            request,
            channel,
            ChannelSettings(
                name=form.text("name"),
                target=form.text("target") or None,
                secret="" if form.has("forget_secret") else form.as_typed("secret") or None,
                title_template=form.as_typed("title_template"),
                body_template=form.as_typed("body_template"),
                max_tries=form.whole_number("max_tries"),
                max_per_minute=form.whole_number("max_per_minute"),
            ),
        )
    except LamplighterError as error:
        return await _page(request, channel, form=form, faults=faults_of(error))
    return request.done("The channel was saved.", to=f"{_PATH}/{channel_id}")


@ROUTES.post(f"{_ONE}/enable", role=Role.ADMIN)
async def enable(channel_id: UUID, request: ThisRequest) -> Response:
    """Enables a channel."""
    channel = await _get(request, channel_id)
    await _change(request, channel, ChannelSettings(enabled=True))
    return request.done(f"{channel.name} is enabled: new events are sent.", to=f"{_PATH}/{channel_id}")


@ROUTES.post(f"{_ONE}/disable", role=Role.ADMIN)
async def disable(channel_id: UUID, request: ThisRequest) -> Response:
    """Disables a channel."""
    channel, form = await _get(request, channel_id), await request.form()
    back = f"{_PATH}/{channel_id}"
    question = f"Disable {channel.name}? Its waiting notifications are cancelled."
    request.confirm(form, question, label="Disable it", back=back)
    await _change(request, channel, ChannelSettings(enabled=False))
    return request.done(f"{channel.name} is disabled: it sends nothing.", to=back)


@ROUTES.post(f"{_ONE}/remove", role=Role.ADMIN)
async def remove(channel_id: UUID, request: ThisRequest) -> Response:
    """Deletes a channel with its rules and its log."""
    channel, form = await _get(request, channel_id), await request.form()
    rules = len(await request.read(lambda db: notification_rules.listed(db, channel=channel.public_id)))
    with_rules = f" with its {rules} rule{'s' * (rules != 1)}" if rules else ""
    question = f"Delete {channel.name}{with_rules} and its log? This cannot be undone."
    request.confirm(form, question, label="Delete it", back=f"{_PATH}/{channel_id}")
    await request.write(lambda db: operations.remove(db, channel.public_id, stamp=request.stamp))
    return request.done(f"{channel.name} was deleted.", to=BASE)


@ROUTES.post(f"{_ONE}/test")
async def test(channel_id: UUID, request: ThisRequest) -> Response:
    """Sends a test notification and reports the result."""
    channel, form, view = await _get(request, channel_id), await request.form(), request.view
    began = view.clock.monotonic()
    result = await notifications.test(view.db, view.connections.messenger, channel.public_id, stamp=request.stamp)
    took = round(1000 * (view.clock.monotonic() - began))
    said = f"sent: {result.detail} in {took:,} ms" if result.is_delivered else f"failed: {result.detail}"
    return request.done(f"Test of {channel.name} {said}", to=form.text("back") or f"{_PATH}/{channel_id}")


@ROUTES.post(f"{BASE}/preview")
async def preview(request: ThisRequest) -> Response:
    """Previews the message templates of the form."""
    form = await request.form()
    if not request.is_partial:
        channel = form.text("channel")
        return await _page(request, await _get(request, channel) if channel else None, form=form, faults={})
    shown = await _previewed(request, {name: form.text(name) for name in _FIELDS})
    return request.part("alerts/notifications/preview.html", status=422 if shown["unusable"] else 200, **shown)


async def _get(request: PageRequest, public_id: UUID | str) -> Channel:
    return await request.read(lambda db: operations.get(db, str(public_id)))


async def _change(request: PageRequest, channel: Channel, settings: ChannelSettings) -> None:
    messenger = request.view.connections.messenger
    await request.write(
        lambda db: operations.change(db, channel.public_id, settings, messenger=messenger, stamp=request.stamp)
    )


async def _page(
    request: PageRequest,
    channel: Channel | None,
    *,
    form: SubmittedForm | None = None,
    faults: Mapping[str, str] | None = None,
) -> Response:
    """The page of a channel or of a new one, with what was typed."""
    given = _filled_in(channel) if form is None else {name: form.text(name) for name in _FIELDS}
    shown: dict[str, Any] = {"channel": channel, "given": given, "kinds": _KINDS, "labels": LABELS}
    unkept = {"secret": _AGAIN} if form is not None and form.text("secret") else {}
    shown |= {"faults": unkept | dict(faults or {}), "is_forgetting": form is not None and form.has("forget_secret")}
    shown |= {"placeholders": PLACEHOLDERS, "kind_choices": _preview_choices()}
    async with request.view.db.read() as db:
        if channel is not None:
            shown["rules"] = await notification_rules.listed(db, channel=channel.public_id)
            shown["entries"], shown["total"] = await notifications.log(
                db, channel=channel.public_id, limit=_SHOWN_ENTRIES, offset=0
            )
    shown |= {"status": 422 if faults else 200, **await _previewed(request, given)}
    return settings_page(request, "alerts/notifications/channel.html", **shown)


def _filled_in(channel: Channel | None) -> dict[str, str]:
    """The initial values of the form."""
    usual = dict.fromkeys(_FIELDS, "") | {
        "kind": str(ChannelKind.WEBHOOK),
        "max_tries": str(_USUAL_TRIES),
        "preview_kind": _preview_choices()[0][0],
    }
    if channel is None:
        return usual
    stored = ("name", "kind", "max_tries", "title_template", "body_template")
    rate = {"max_per_minute": str(channel.max_per_minute or 0)}
    return usual | {name: str(getattr(channel, name) or "") for name in stored} | rate


def _preview_choices() -> list[tuple[str, str]]:
    return [(each.kind, each.label) for each in notifications.KINDS]


async def _previewed(request: PageRequest, given: Mapping[str, str]) -> dict[str, Any]:
    """The rendered templates, or their error."""
    kinds = dict(_preview_choices())
    kind = given["preview_kind"] if given["preview_kind"] in kinds else next(iter(kinds))
    wanted = PreviewRequest(
        kind=kind, title_template=given["title_template"] or None, body_template=given["body_template"] or None
    )
    public_url = request.view.settings.public_url
    try:
        return preview_shown(await request.read(lambda db: notifications.preview(db, wanted, public_url=public_url)))
    except BadInput as error:
        return {"preview": None, "payload": "", "unusable": str(error)}
