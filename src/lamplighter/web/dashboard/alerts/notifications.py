"""`/settings/notifications`: channels, rules and the notification log."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import orjson
from fastapi import Response

from lamplighter.model.notification import NotificationState
from lamplighter.operations.alerts import notification_channels, notification_rules, notifications
from lamplighter.store.alerts import notification_channels as stored_channels
from lamplighter.store.alerts import notifications as stored_notifications
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, settings_page
from lamplighter.web.routes import Pages

ROUTES = Pages()
BASE = "/settings/notifications"
_LOG = f"{BASE}/log"
#: kind of notice -> its label
LABELS = {"test": "Test"} | {each.kind: each.label for each in notifications.KINDS}


@ROUTES.get(BASE)
async def overview(request: ThisRequest) -> Response:
    """The channels, the rules, and the number of notifications by state."""
    async with request.view.db.read() as db:
        shown: dict[str, Any] = {
            "channels": await stored_channels.listed(db),
            "rules": await notification_rules.listed(db),
            "counts": await stored_notifications.count_by_state(db),
        }
    return settings_page(request, "alerts/notifications/index.html", labels=LABELS, **shown)


@ROUTES.get(_LOG)
async def log(request: ThisRequest) -> Response:
    """The notification log, newest first."""
    offset = offset_of(request)
    async with request.view.db.read() as db:
        names = {each.public_id: each.name for each in await stored_channels.listed(db)}
        choices = {"state": {str(state): str(state) for state in NotificationState}, "channel": names, "kind": LABELS}
        given = {name: _chosen(request, name, words) for name, words in choices.items()}
        entries, total = await notifications.log(
            db, **{name: word or None for name, word in given.items()}, limit=LIMIT, offset=offset
        )
        counts = await stored_notifications.count_by_state(db)
    shown: dict[str, Any] = {
        "entries": entries,
        "given": given,
        "dead": counts.get(NotificationState.DEAD, 0),
        "labels": LABELS,
        "path": f"{_LOG}?{urlencode(given)}&",
        "total": total,
        "offset": offset,
        "limit": LIMIT,
    }
    if request.target == "notification-log":
        return request.part("alerts/notifications/log_list.html", **shown)
    return settings_page(request, "alerts/notifications/log.html", choices=choices, **shown)


@ROUTES.post(f"{_LOG}/retry")
async def retry_dead(request: ThisRequest) -> Response:
    """Retries all undelivered notifications of one channel or of all."""
    form = await request.form()
    channel = form.text("channel") or None
    if channel is not None:
        name = (await request.read(lambda db: notification_channels.get(db, channel))).name
    whose = "all channels" if channel is None else name
    question = f"Retry the undelivered notifications of {whose}? Each is tried as often as its channel allows."
    back = f"{_LOG}?state={NotificationState.DEAD}"
    request.confirm(form, question, label="Retry them", back=back)
    count = await request.write(lambda db: notifications.retry_dead(db, channel=channel, stamp=request.stamp))
    return request.done(f"{count:,} notification{'s' * (count != 1)} will be retried.", to=_LOG)


@ROUTES.post(f"{_LOG}/{{notification_id}}/retry")
async def retry(notification_id: UUID, request: ThisRequest) -> Response:
    """Retries one undelivered notification."""
    form = await request.form()
    entry = await request.write(lambda db: notifications.retry(db, str(notification_id), stamp=request.stamp))
    return request.done(f"It is sent again by {entry.channel_name}.", to=form.text("back") or _LOG)


def preview_shown(found: notifications.Preview) -> dict[str, Any]:
    """A preview as its template shows it."""
    payload = orjson.dumps(found.payload, option=orjson.OPT_INDENT_2).decode()
    return {"preview": found, "payload": payload, "unusable": ""}


def _chosen(request: PageRequest, name: str, choices: Mapping[str, str]) -> str:
    """A filter value; an unknown value means any."""
    given = request.http.query_params.get(name, "")
    return given if given in choices else ""
