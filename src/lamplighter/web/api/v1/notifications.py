"""Notifications: channels, rules, what was told, and what could not be.

Channels take an administrator, for what is entered there says where data goes; rules and retries take an operator.
"""

from typing import Annotated, Any

from fastapi import Path, Query

from lamplighter.model.access import Role
from lamplighter.model.notice import NoticeKind
from lamplighter.model.notification import NotificationState
from lamplighter.operations import notification_channels, notification_rules, notifications
from lamplighter.web.api.paging import Limit, Offset, listed
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.v1 import examples_notifications as examples
from lamplighter.web.api.v1 import shapes_notifications as shapes
from lamplighter.web.api.values import Line
from lamplighter.web.view import Asking, View

ROUTES = Routes("/api/v1/notifications", tag="notifications")
PublicId = Annotated[Line, Path(min_length=1, max_length=100)]
ChannelId = Annotated[Line | None, Query(max_length=100, description="Only of this channel.")]


@ROUTES.get("/channels", response_model=shapes.ChannelList, example={"channels": [examples.CHANNEL], "total": 1})
async def list_channels(view: View) -> Any:
    """All channels, by name, without their targets and secrets."""
    async with view.db.read() as db:
        found = await notification_channels.listed(db)
    return {"channels": [shapes.channel_out(each) for each in found], "total": len(found)}


@ROUTES.post(
    "/channels",
    role=Role.ADMIN,
    status=201,
    errors=(409,),
    response_model=shapes.ChannelOut,
    example=examples.CHANNEL,
)
async def add_channel(given: shapes.ChannelIn, view: View, caller: Asking) -> Any:
    """Adds a channel; its target and its secret are stored encrypted and never shown again."""
    settings, now = given.settings(), view.clock.now()
    return shapes.channel_out(
        await view.db.write(
            lambda db: notification_channels.add(db, settings, messenger=view.messenger, actor=caller.name, now=now)
        )
    )


@ROUTES.get("/channels/{channel_id}", response_model=shapes.ChannelOut, example=examples.CHANNEL)
async def show_channel(channel_id: PublicId, view: View) -> Any:
    """One channel."""
    async with view.db.read() as db:
        return shapes.channel_out(await notification_channels.get(db, channel_id))


@ROUTES.patch(
    "/channels/{channel_id}",
    role=Role.ADMIN,
    errors=(409,),
    response_model=shapes.ChannelOut,
    example=examples.CHANNEL,
)
async def change_channel(channel_id: PublicId, given: shapes.ChannelChange, view: View, caller: Asking) -> Any:
    """Changes a channel; another target needs the secret anew, switching it off cancels what waits for it."""
    settings, now = given.settings(), view.clock.now()
    return shapes.channel_out(
        await view.db.write(
            lambda db: notification_channels.change(
                db, channel_id, settings, messenger=view.messenger, actor=caller.name, now=now
            )
        )
    )


@ROUTES.delete("/channels/{channel_id}", role=Role.ADMIN, status=204, response_model=None)
async def remove_channel(channel_id: PublicId, view: View, caller: Asking) -> None:
    """Forgets a channel with its rules and its log."""
    now = view.clock.now()
    await view.db.write(lambda db: notification_channels.remove(db, channel_id, actor=caller.name, now=now))


@ROUTES.post(
    "/channels/{channel_id}/test",
    response_model=shapes.ToldOut,
    example={"delivered": True, "status": 200, "detail": "HTTP 200"},
)
async def send_test(channel_id: PublicId, view: View, caller: Asking) -> Any:
    """Sends a test at once, and says what came of it within ten seconds."""
    told = await notifications.test(view.db, view.messenger, channel_id, actor=caller.name, now=view.clock.now())
    return {"delivered": told.is_delivered, "status": told.status, "detail": told.detail}


@ROUTES.get("/rules", errors=(404,), response_model=shapes.RuleList, example={"rules": [examples.RULE], "total": 1})
async def list_rules(view: View, channel_id: ChannelId = None) -> Any:
    """Rules, by channel and kind."""
    async with view.db.read() as db:
        found = await notification_rules.listed(db, channel=channel_id)
    return {"rules": [shapes.rule_out(each) for each in found], "total": len(found)}


@ROUTES.post("/rules", status=201, response_model=shapes.RuleOut, example=examples.RULE)
async def add_rule(given: shapes.RuleIn, view: View, caller: Asking) -> Any:
    """Adds a rule; it holds within seconds."""
    settings, now = given.settings(), view.clock.now()
    return shapes.rule_out(
        await view.db.write(lambda db: notification_rules.add(db, settings, actor=caller.name, now=now))
    )


@ROUTES.get("/rules/{rule_id}", response_model=shapes.RuleOut, example=examples.RULE)
async def show_rule(rule_id: PublicId, view: View) -> Any:
    """One rule."""
    async with view.db.read() as db:
        return shapes.rule_out(await notification_rules.get(db, rule_id))


@ROUTES.patch("/rules/{rule_id}", response_model=shapes.RuleOut, example=examples.RULE)
async def change_rule(rule_id: PublicId, given: shapes.RuleChange, view: View, caller: Asking) -> Any:
    """Changes a rule."""
    settings, now = given.settings(), view.clock.now()
    return shapes.rule_out(
        await view.db.write(lambda db: notification_rules.change(db, rule_id, settings, actor=caller.name, now=now))
    )


@ROUTES.delete("/rules/{rule_id}", status=204, response_model=None)
async def remove_rule(rule_id: PublicId, view: View, caller: Asking) -> None:
    """Forgets a rule; what it has gathered is still told."""
    now = view.clock.now()
    await view.db.write(lambda db: notification_rules.remove(db, rule_id, actor=caller.name, now=now))


@ROUTES.post("/preview", role=Role.VIEWER, response_model=shapes.PreviewOut, example=examples.PREVIEW)
async def preview(given: shapes.PreviewIn, view: View) -> Any:
    """What a notification of a kind would read like with these templates, by an example; nothing is sent."""
    shown = notifications.preview(
        given.kind,
        title_template=given.title_template,
        body_template=given.body_template,
        public_url=view.settings.public_url,
    )
    return {"title": shown.title, "text": shown.text, "payload": shown.payload}


@ROUTES.get(
    "/log",
    errors=(404,),
    response_model=shapes.NotificationList,
    example={"notifications": [examples.NOTIFICATION], "total": 1, "limit": 50, "offset": 0},
)
async def list_log(
    view: View,
    channel_id: ChannelId = None,
    state: Annotated[NotificationState | None, Query(description="dead are those that were given up.")] = None,
    kind: Annotated[NoticeKind | None, Query(description="Only of this kind.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Any:
    """What was and is to be told, the newest first."""
    async with view.db.read() as db:
        found, total = await notifications.log(
            db, channel=channel_id, state=state, kind=kind, limit=limit, offset=offset
        )
    rows = [shapes.notification_out(each) for each in found]
    return listed("notifications", rows, total=total, limit=limit, offset=offset)


@ROUTES.post("/log/retry-dead", errors=(404, 409), response_model=shapes.RetriedOut, example={"retried": 3})
async def retry_dead(given: shapes.RetryIn, view: View, caller: Asking) -> Any:
    """Tries dead notifications of channels that are on again, the oldest thousand at once."""
    now = view.clock.now()
    count = await view.db.write(
        lambda db: notifications.retry_dead(db, channel=given.channel_id, actor=caller.name, now=now)
    )
    view.notifications_changed()
    return {"retried": count}


@ROUTES.get("/log/{notification_id}", response_model=shapes.NotificationOut, example=examples.NOTIFICATION)
async def show(notification_id: PublicId, view: View) -> Any:
    """One notification."""
    async with view.db.read() as db:
        return shapes.notification_out(await notifications.get(db, notification_id))


@ROUTES.post(
    "/log/{notification_id}/retry",
    errors=(409,),
    response_model=shapes.NotificationOut,
    example=examples.NOTIFICATION | {"state": "pending", "try_count": 0, "sent_at": None},
)
async def retry(notification_id: PublicId, view: View, caller: Asking) -> Any:
    """Tries a dead notification again, as often as its channel allows."""
    now = view.clock.now()
    entry = await view.db.write(lambda db: notifications.retry(db, notification_id, actor=caller.name, now=now))
    view.notifications_changed()
    return shapes.notification_out(entry)
