"""How notifications leave: each channel by itself, at least once, under one id, and given up after so many tries."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter import metrics
from lamplighter.errors import BadInput
from lamplighter.model.notice import Notice, NoticeKind
from lamplighter.operations import notification_channels, notifications
from lamplighter.operations.notification_channels import ChannelSettings
from lamplighter.store import tables
from lamplighter.store.database import Connection, Database
from tests.crawl.planning import At
from tests.crawl.queueing import on_sqlite
from tests.crawl.telling import Receiver, Switchboard, is_signed, switchboard
from tests.crawl.waiting import until
from tests.fetch.door import Names
from tests.moments import NOON
from tests.origin import Answer, Origin, busy, hang, redirect
from tests.servers.smtp import MailServer

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def _alert(detail: str = "the disk is full") -> Notice:
    data = {"rule": "DiskAlmostFull", "subject": "", "severity": "critical", "detail": detail, "remedy": "Make room."}
    return Notice(kind=NoticeKind.ALERT_FIRED, at=NOON, source_id=None, data=data)


async def _told_of_alerts(board: Switchboard, target: str, **more: Any) -> str:
    channel = await board.channel(target, **more)
    await board.rule(channel, "alert.fired")
    return channel


async def _after(board: Switchboard, clock: At, pause: timedelta) -> None:
    clock.at += pause
    await board.turn()


# ── success and failure ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_webhook_is_signed_and_says_what_happened_under_an_id_of_its_own(db: Database, origin: Origin) -> None:
    hook = Receiver(origin, "/hook?token=t0p&utm_source=x")
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, hook.url, secret="s3cret")
        await board.note(_alert())

        await board.turn()

        (row,), (request,) = await board.rows(), hook.requests
    assert (row.state, row.status, row.try_count, row.sent_at) == ("sent", 200, 1, NOON)
    assert is_signed(request, "s3cret")
    assert not is_signed(request, "another")
    assert request.target == "/hook?token=t0p&utm_source=x"
    assert (request.headers["idempotency-key"], request.headers["x-lamplighter-event"]) == (
        row.public_id,
        "alert.fired",
    )
    assert hook.told[0] == {
        "event": "alert.fired",
        "timestamp": "2026-03-14T12:00:00.123456Z",
        "data": {"source": None, **_alert().data},
        "id": row.public_id,
        "title": "[critical] DiskAlmostFull",
        "text": "the disk is full\nMake room.",
    }


async def test_a_failed_one_is_tried_again_ever_later_then_given_up_and_by_hand_once_more(
    db: Database, origin: Origin
) -> None:
    clock, hook = At(), Receiver(origin, "/hook", *[Answer(status=500)] * 3, Answer(status=204))
    counted = metrics.NOTIFICATIONS.labels(channel="webhook", result="dead")
    dead_before = counted._value.get()
    async with switchboard(db, clock, origin) as board:
        await _told_of_alerts(board, hook.url, max_tries=3)
        await board.note(_alert())

        await board.turn()
        tries = [len(hook.requests)]
        for pause in (29 * SECOND, SECOND, 59 * SECOND, SECOND, 60 * MINUTE):
            await _after(board, clock, pause)
            tries.append(len(hook.requests))
        (dead,) = await board.rows()
        await db.write(lambda tx: notifications.retry(tx, dead.public_id, actor="anna", now=clock.at))
        await board.turn()

        (sent,), (channel,) = await board.rows(), await _channels(db)
    assert tries == [1, 1, 2, 2, 3, 3]
    assert (dead.state, dead.status, dead.detail) == ("dead", 500, "HTTP 500")
    assert counted._value.get() == dead_before + 1
    assert (sent.state, sent.status) == ("sent", 204)
    assert len(set(hook.keys)) == 1
    assert (channel.failure_count, channel.last_error, channel.last_sent_at) == (0, None, clock.at)


@on_sqlite
async def test_a_redirect_is_a_failure_and_nobody_follows_it(db: Database, origin: Origin) -> None:
    elsewhere = Receiver(origin, "/elsewhere")
    hook = Receiver(origin, "/hook", redirect(elsewhere.url, 307))
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, hook.url)
        await board.note(_alert())

        await board.turn()

        (row,) = await board.rows()
    assert (row.state, row.status) == ("pending", 307)
    assert "not followed" in row.detail
    assert elsewhere.requests == []


@on_sqlite
async def test_a_receiver_that_asks_for_a_pause_gets_it_for_all_that_waits(db: Database, origin: Origin) -> None:
    clock, hook = At(), Receiver(origin, "/hook", busy(retry_after="600"), Answer())
    async with switchboard(db, clock, origin) as board:
        await _told_of_alerts(board, hook.url)
        await board.note(_alert("one"), _alert("two"))

        await board.turn()
        await _after(board, clock, 5 * MINUTE)
        during = len(hook.requests)
        await _after(board, clock, 6 * MINUTE)

    assert during == 1
    assert [each["data"]["detail"] for each in hook.told] == ["one", "one", "two"]


@on_sqlite
async def test_a_receiver_that_hangs_holds_up_nobody_else(db: Database, origin: Origin) -> None:
    good, bad = Receiver(origin, "/good"), Receiver(origin, "/bad", hang())
    async with switchboard(db, At(), origin) as board:
        for name, hook in (("a bad one", bad), ("a good one", good)):
            await _told_of_alerts(board, hook.url, name=name)
        await board.note(_alert("one"))
        await board.hand_out.hand_out()
        sending = asyncio.create_task(board.notify.send_due())
        await until(lambda: _count(bad, 1))

        await board.note(_alert("two"))
        await board.hand_out.hand_out()
        await until(lambda: _count(good, 2))

        is_going_on = not sending.done()
        sending.cancel()
        await asyncio.wait([sending])
    assert is_going_on
    assert len(bad.requests) == 1


async def _count(hook: Receiver, least: int) -> bool:
    return len(hook.requests) >= least


async def test_who_dies_after_sending_leaves_it_to_be_sent_again_under_the_same_id(
    db: Database, origin: Origin
) -> None:
    clock, hook = At(), Receiver(origin)
    async with switchboard(db, clock, origin) as board:
        await _told_of_alerts(board, hook.url)
        await board.note(_alert())
        await board.turn()
        died = sa.update(tables.notifications).values(state="pending", sent_at=None, lease_until=NOON + MINUTE)
        await db.write(lambda tx: _do(tx, died))

        await _after(board, clock, 59 * SECOND)
        while_leased = len(hook.requests)
        await _after(board, clock, SECOND)

    assert while_leased == 1
    assert len(hook.requests) == 2
    assert len(set(hook.keys)) == 1


async def _do(db: Connection, statement: Any) -> None:
    await db.execute(statement)


async def _channels(db: Database) -> list[Any]:
    async with db.read() as reading:
        return list(await notification_channels.listed(reading))


# ── where it may go ──────────────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
async def test_an_address_that_nobody_opened_is_refused_when_it_is_saved(db: Database) -> None:
    async with switchboard(db, At()) as board:
        with pytest.raises(BadInput, match=r"not a public address.*LAMPLIGHTER_ALLOW_HOSTS") as refused:
            await board.channel("http://127.0.0.1:9/hook")

    assert refused.value.field == "target"


@on_sqlite
async def test_a_name_that_leads_to_such_an_address_is_refused_when_it_is_asked_for(
    db: Database, origin: Origin
) -> None:
    hook, names = Receiver(origin), Names({"hooks.example": ["127.0.0.1"]})
    async with switchboard(db, At(), names=names) as board:
        await _told_of_alerts(board, f"http://hooks.example:{origin.port}/hook")
        await board.note(_alert())

        await board.turn()

        (row,) = await board.rows()
    assert hook.requests == []
    assert (row.state, row.status) == ("pending", None)
    assert "not a public address" in row.detail


# ── gathering, cancelling ────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_digest_gathers_and_tells_together_with_what_was_too_much_counted(db: Database, origin: Origin) -> None:
    clock, hook = At(), Receiver(origin)
    async with switchboard(db, clock, origin) as board:
        await board.rule(await board.channel(hook.url), "alert.fired", digest_minutes=30)
        await board.note(_alert("first"))
        await board.turn()
        clock.at += 29 * MINUTE
        await board.note(*[_alert(f"number {number}") for number in range(60)])
        await board.turn()
        before = len(hook.requests)
        await _after(board, clock, MINUTE)
        await board.note(_alert("of the next"))
        await board.turn()

        rows = await board.rows()
    (told,) = hook.told
    assert before == 0
    assert (told["data"]["count"], len(told["data"]["items"])) == (61, 50)
    assert told["data"]["items"][0]["detail"] == "first"
    assert told["title"] == "Alert fired: 61 in all"
    assert "… and 11 more." in told["text"]
    assert [row.state for row in rows] == ["sent", "gathering"]


@on_sqlite
async def test_a_channel_is_told_once_although_several_of_its_rules_want_it(db: Database, origin: Origin) -> None:
    hook = Receiver(origin)
    async with switchboard(db, At(), origin) as board:
        channel = await board.channel(hook.url)
        for more in ({"digest_minutes": 5}, {}, {}):
            await board.rule(channel, "alert.fired", **more)
        await board.note(_alert())

        await board.turn()

        assert [row.state for row in await board.rows()] == ["sent"]
    assert len(hook.requests) == 1


@on_sqlite
async def test_what_waits_for_a_channel_that_is_switched_off_is_cancelled(db: Database, origin: Origin) -> None:
    clock, hook = At(), Receiver(origin, "/hook", Answer(status=500))
    async with switchboard(db, clock, origin) as board:
        channel = await _told_of_alerts(board, hook.url)
        await board.note(_alert())
        await board.turn()
        off = ChannelSettings(enabled=False)
        await db.write(
            lambda tx: notification_channels.change(
                tx, channel, off, messenger=board.messenger, actor="anna", now=clock.at
            )
        )

        await board.note(_alert())
        await _after(board, clock, 60 * MINUTE)

        assert [(row.state, row.detail) for row in await board.rows()] == [
            ("cancelled", "its channel was switched off")
        ]
    assert len(hook.requests) == 1


# ── words and ways ───────────────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
async def test_a_template_that_cannot_be_used_any_more_gives_way_to_the_usual_words_and_the_log_says_so(
    db: Database, origin: Origin
) -> None:
    hook = Receiver(origin)
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, hook.url, title_template="{{ severity }}!", body_template="{{ detail }}")
        await board.note(_alert())
        await board.turn()
        await db.write(lambda tx: _do(tx, sa.update(tables.notification_channels).values(title_template="{{ gone }}")))
        await board.note(_alert())

        await board.turn()

        rows = await board.rows()
    assert [(each["title"], each["text"]) for each in hook.told] == [
        ("critical!", "the disk is full"),
        ("[critical] DiskAlmostFull", "the disk is full\nMake room."),
    ]
    assert "there is no {{ gone }}" in rows[1].detail


@on_sqlite
async def test_slack_is_told_in_text_that_it_does_not_act_on(db: Database, origin: Origin) -> None:
    hook = Receiver(origin)
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, hook.url, kind="slack")
        await board.note(_alert("<!channel> & <https://evil.example|click>"))

        await board.turn()

    (told,) = hook.told
    assert told == {
        "text": "*[critical] DiskAlmostFull*\n&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;\nMake room."
    }


@on_sqlite
async def test_ntfy_is_told_in_plain_text_with_a_title_and_its_token(db: Database, origin: Origin) -> None:
    hook = Receiver(origin, "/topic")
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, hook.url, kind="ntfy", secret="tk_1", title_template="Größe: {{ rule }}")
        await board.note(_alert("voll: é"))

        await board.turn()

    (request,) = hook.requests
    assert request.body.decode() == "voll: é\nMake room."
    assert request.headers["authorization"] == "Bearer tk_1"
    assert request.headers["title"] == "=?UTF-8?B?R3LDtsOfZTogRGlza0FsbW9zdEZ1bGw=?="


@on_sqlite
async def test_an_e_mail_leaves_through_the_mail_server_and_an_unreachable_one_is_tried_again(db: Database) -> None:
    clock = At()
    async with MailServer() as server, switchboard(db, clock, smtp_url=server.url()) as board:
        await _told_of_alerts(board, "ops@example.org", kind="email")
        await board.note(_alert())
        await board.turn()
    (taken,) = server.taken

    async with switchboard(db, clock, smtp_url=server.url()) as board:
        await board.note(_alert())
        await board.turn()
        sent, waiting = await board.rows()

    assert (sent.state, waiting.state, waiting.due_at) == ("sent", "pending", NOON + 30 * SECOND)
    assert f"SMTP server 127.0.0.1:{server.port}" in waiting.detail
    assert taken.recipients == ["ops@example.org"]
    assert taken.message["Subject"] == "[critical] DiskAlmostFull"
    assert taken.message["Message-ID"] == f"<{sent.public_id}@example.org>"
    assert taken.message.get_content().splitlines() == ["the disk is full", "Make room."]


@on_sqlite
async def test_a_test_is_sent_at_once_and_not_again(db: Database, origin: Origin) -> None:
    clock, hook = At(), Receiver(origin, "/hook", Answer(status=403), Answer())
    async with switchboard(db, clock, origin) as board:
        channel = await board.channel(hook.url, enabled=False)

        told = [await notifications.test(db, board.messenger, channel, actor="anna", now=clock.at) for _ in range(2)]
        await _after(board, clock, 60 * MINUTE)

        assert [row.state for row in await board.rows()] == ["dead", "sent"]
    assert [(each.is_delivered, each.status) for each in told] == [(False, 403), (True, 200)]
    assert [each["event"] for each in hook.told] == ["test", "test"]
