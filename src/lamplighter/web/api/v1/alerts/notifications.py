"""Notifications: channels, rules and the delivery log.

Changing channels takes an administrator, because they say where data is sent; rules and retries take an operator.
"""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Path, Query

from lamplighter.model.access import Role
from lamplighter.model.notification import NoticeKind, NotificationState
from lamplighter.operations.alerts import notification_channels, notification_rules, notifications
from lamplighter.operations.alerts.notifications import Preview
from lamplighter.store.alerts import notification_channels as stored_channels
from lamplighter.store.engine.database import Connection
from lamplighter.web.api.envelope import listed, part_of
from lamplighter.web.api.v1.alerts import shapes_notifications as shapes
from lamplighter.web.routes import Routes
from lamplighter.web.values import Limit, Line, Offset
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/notifications", tag="notifications")
PublicId = Annotated[Line, Path(min_length=1, max_length=100)]
ChannelId = Annotated[Line | None, Query(max_length=100, description="Only of this channel.")]


@ROUTES.get("/channels", response_model=shapes.ChannelList)
async def list_channels(view: View) -> Any:
    """All channels, by name, without their targets and secrets."""
    found = await view.read(lambda db: stored_channels.listed(db))
    return {"channels": found, "total": len(found)}


@ROUTES.post("/channels", role=Role.ADMIN, status=201, errors=(409,), response_model=shapes.ChannelOut)
async def add_channel(given: shapes.ChannelIn, view: View, caller: Asking) -> Any:
    """Adds a channel; its target and its secret are stored encrypted and never shown again."""
    settings, stamp = given.settings(), view.stamp(caller)
    return await view.db.write(
        lambda db: notification_channels.add(db, settings, messenger=view.connections.messenger, stamp=stamp)
    )


@ROUTES.get("/channels/{channel_id}", response_model=shapes.ChannelOut)
async def show_channel(channel_id: PublicId, view: View) -> Any:
    """One channel."""
    return await view.read(lambda db: notification_channels.get(db, channel_id))


@ROUTES.patch("/channels/{channel_id}", role=Role.ADMIN, errors=(409,), response_model=shapes.ChannelOut)
async def change_channel(channel_id: PublicId, given: shapes.ChannelChange, view: View, caller: Asking) -> Any:
    """Changes a channel; a new target needs the secret again, disabling it cancels waiting notifications."""
    settings, stamp = given.settings(), view.stamp(caller)
    return await view.db.write(
        lambda db: notification_channels.change(
            db, channel_id, settings, messenger=view.connections.messenger, stamp=stamp
        )
    )


@ROUTES.delete("/channels/{channel_id}", role=Role.ADMIN, status=204, response_model=None)
async def remove_channel(channel_id: PublicId, view: View, caller: Asking) -> None:
    """Removes a channel with its rules and its log."""
    await view.db.write(lambda db: notification_channels.remove(db, channel_id, stamp=view.stamp(caller)))


@ROUTES.post("/channels/{channel_id}/test", response_model=shapes.ToldOut)
async def send_test(channel_id: PublicId, view: View, caller: Asking) -> Any:
    """Sends a test at once; returns its result within ten seconds."""
    return await notifications.test(view.db, view.connections.messenger, channel_id, stamp=view.stamp(caller))


@ROUTES.get("/rules", errors=(404,), response_model=shapes.RuleList)
async def list_rules(view: View, channel_id: ChannelId = None) -> Any:
    """Rules, by channel and kind."""
    found = await view.read(lambda db: notification_rules.listed(db, channel=channel_id))
    return {"rules": found, "total": len(found)}


@ROUTES.post("/rules", status=201, response_model=shapes.NotificationRuleOut)
async def add_rule(given: shapes.RuleIn, view: View, caller: Asking) -> Any:
    """Adds a rule; in force within seconds."""
    settings, stamp = given.settings(), view.stamp(caller)
    return await view.db.write(lambda db: notification_rules.add(db, settings, stamp=stamp))


@ROUTES.get("/rules/{rule_id}", response_model=shapes.NotificationRuleOut)
async def show_rule(rule_id: PublicId, view: View) -> Any:
    """One rule."""
    return await view.read(lambda db: notification_rules.get(db, rule_id))


@ROUTES.patch("/rules/{rule_id}", response_model=shapes.NotificationRuleOut)
async def change_rule(rule_id: PublicId, given: shapes.RuleChange, view: View, caller: Asking) -> Any:
    """Changes a rule."""
    settings, stamp = given.settings(), view.stamp(caller)
    return await view.db.write(lambda db: notification_rules.change(db, rule_id, settings, stamp=stamp))


@ROUTES.delete("/rules/{rule_id}", status=204, response_model=None)
async def remove_rule(rule_id: PublicId, view: View, caller: Asking) -> None:
    """Removes a rule; gathered notices are still sent."""
    await view.db.write(lambda db: notification_rules.remove(db, rule_id, stamp=view.stamp(caller)))


@ROUTES.post("/preview", role=Role.VIEWER, response_model=shapes.PreviewOut)
async def preview(given: shapes.PreviewIn, view: View) -> Any:
    """Renders a notification from the latest matching records, else from an example; nothing is sent."""

    async def work(db: Connection) -> Preview:
        wanted = await notifications.preview_request(
            db, given.rule(), title_template=given.title_template, body_template=given.body_template
        )
        return await notifications.preview(db, replace(wanted, kind=given.kind), public_url=view.settings.public_url)

    return await view.read(work)


@ROUTES.get("/log", errors=(404,), response_model=part_of("notifications", shapes.NotificationOut))
async def list_log(
    view: View,
    channel_id: ChannelId = None,
    state: Annotated[NotificationState | None, Query(description="dead are those that were given up.")] = None,
    kind: Annotated[NoticeKind | None, Query(description="Only of this kind.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """Notifications sent and waiting, newest first."""
    found, total = await view.read(
        lambda db: notifications.log(db, channel=channel_id, state=state, kind=kind, limit=limit, offset=offset)
    )
    return listed("notifications", found, total=total, limit=limit, offset=offset)


@ROUTES.post("/log/retry-dead", errors=(404, 409), response_model=shapes.RetriedOut)
async def retry_dead(given: shapes.RetryIn, view: View, caller: Asking) -> Any:
    """Retries dead notifications of enabled channels, up to the oldest thousand at once."""
    stamp = view.stamp(caller)
    count = await view.db.write(lambda db: notifications.retry_dead(db, channel=given.channel_id, stamp=stamp))
    return {"retried": count}


@ROUTES.get("/log/{notification_id}", response_model=shapes.NotificationOut)
async def show(notification_id: PublicId, view: View) -> Any:
    """One notification."""
    return await view.read(lambda db: notifications.get(db, notification_id))


@ROUTES.post("/log/{notification_id}/retry", errors=(409,), response_model=shapes.NotificationOut)
async def retry(notification_id: PublicId, view: View, caller: Asking) -> Any:
    """Retries a dead notification, as often as its channel allows."""
    return await view.db.write(lambda db: notifications.retry(db, notification_id, stamp=view.stamp(caller)))
