"""`/settings/notifications`: who is told of what, and what became of what was told."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Response

from lamplighter.model.notification import NotificationState
from lamplighter.operations import notification_channels, notification_rules, notifications
from lamplighter.web.api.routes import Routes
from lamplighter.web.dashboard.settings.tabs import LIMIT, offset_of, tabs_for
from lamplighter.web.dashboard.visit import Visit, Visiting

ROUTES = Routes("", tag="dashboard")
BASE = "/settings/notifications"
_LOG = f"{BASE}/log"
#: kind of happening -> as people call it
LABELS = {"test": "Test"} | {each.kind: each.label for each in notifications.KINDS}


@ROUTES.get(BASE, include_in_schema=False)
async def overview(visit: Visiting) -> Response:
    """The channels, the rules, and how many notifications stand where."""
    async with visit.view.db.read() as db:
        shown: dict[str, Any] = {
            "channels": await notification_channels.listed(db),
            "rules": await notification_rules.listed(db),
            "counts": await notifications.count_by_state(db),
        }
    return visit.page("settings/notifications/index.html", tabs=tabs_for(visit), labels=LABELS, **shown)


@ROUTES.get(_LOG, include_in_schema=False)
async def log(visit: Visiting) -> Response:
    """What was and is to be told, the newest first."""
    offset = offset_of(visit)
    async with visit.view.db.read() as db:
        names = {each.public_id: each.name for each in await notification_channels.listed(db)}
        choices = {"state": {str(state): str(state) for state in NotificationState}, "channel": names, "kind": LABELS}
        given = {name: _chosen(visit, name, words) for name, words in choices.items()}
        entries, total = await notifications.log(
            db, **{name: word or None for name, word in given.items()}, limit=LIMIT, offset=offset
        )
        counts = await notifications.count_by_state(db)
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
    if visit.target == "notification-log":
        return visit.part("settings/notifications/log_list.html", **shown)
    return visit.page("settings/notifications/log.html", tabs=tabs_for(visit), choices=choices, **shown)


@ROUTES.post(f"{_LOG}/retry", include_in_schema=False)
async def retry_dead(visit: Visiting) -> Response:
    """Has everything tried again that was given up, of one channel or of all."""
    form = await visit.form()
    channel = form.text("channel") or None
    if channel is not None:
        async with visit.view.db.read() as db:
            name = (await notification_channels.get(db, channel)).name
    whose = "all channels" if channel is None else name
    question = f"Try again to send what was given up, of {whose}? Each is tried as often as its channel allows."
    back = f"{_LOG}?state={NotificationState.DEAD}"
    if (asked := visit.confirm(form, question, label="Try them again", back=back)) is not None:
        return asked
    count = await visit.view.db.write(
        lambda db: notifications.retry_dead(db, channel=channel, actor=visit.caller.name, now=visit.now)
    )
    visit.view.notifications_changed()
    return visit.done(f"{count:,} notification{'s' * (count != 1)} will be tried again.", to=_LOG)


@ROUTES.post(f"{_LOG}/{{notification_id}}/retry", include_in_schema=False)
async def retry(notification_id: UUID, visit: Visiting) -> Response:
    """Has one that was given up tried again."""
    form = await visit.form()
    entry = await visit.view.db.write(
        lambda db: notifications.retry(db, str(notification_id), actor=visit.caller.name, now=visit.now)
    )
    visit.view.notifications_changed()
    return visit.done(f"It is tried again by {entry.channel_name}.", to=form.text("back") or _LOG)


def _chosen(visit: Visit, name: str, choices: Mapping[str, str]) -> str:
    """A filter; what there is not means any."""
    given = visit.request.query_params.get(name, "")
    return given if given in choices else ""
