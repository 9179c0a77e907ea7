"""How notifications leave: each channel by itself, at least once, under one id, and given up after so many tries."""

import asyncio
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa

from lamplighter.adapters.key_ring import KeyFile
from lamplighter.crawl.alerts import notification_sender
from lamplighter.errors import BadInput, NotFound, NotPossible
from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.client import Client
from lamplighter.fetch.webhooks import Webhooks
from lamplighter.model.access import Stamp
from lamplighter.model.notification import Channel, ChannelUpdate, DeliveryResult, Notice, NoticeKind
from lamplighter.model.visit import Failed, Fault
from lamplighter.operations.alerts import notification_channels, notification_rules, notifications
from lamplighter.operations.alerts.notification_channels import ChannelSettings
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.store.alerts import notification_channels as stored_channels
from lamplighter.store.alerts import notifications as stored
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.schema import tables
from tests.clocks import At
from tests.counting import Counting
from tests.crawl.alerts.notification_loops import Receiver, Switchboard, is_signed, switchboard
from tests.crawl.runs.due_jobs import on_sqlite
from tests.fetch.client_stack import Names
from tests.moments import NOON
from tests.origin import Answer, Origin, busy, hang, huge_header, redirect
from tests.servers.smtp import MailServer
from tests.service.waiting import until

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def _alert(detail: str = "the disk is full") -> Notice:
    data = {"rule": "DiskAlmostFull", "subject": "", "severity": "critical", "detail": detail, "remedy": "Make room."}
    data["about"] = "machine:one"
    return Notice(kind=NoticeKind.ALERT_FIRED, at=NOON, source_id=None, data=data)


async def _told_of_alerts(board: Switchboard, target: str, **more: Any) -> str:
    channel = await board.channel(target, **more)
    await board.rule(channel, "alert.fired")
    return channel


async def _after(board: Switchboard, clock: At, pause: timedelta) -> None:
    clock.at += pause
    await board.turn()


# ── success and failure ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_webhook_about_an_alert_names_its_subject_for_programs(db: Database, origin: Origin) -> None:
    hook = Receiver(origin)
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, hook.url)
        await board.note(_alert())

        await board.turn()

    (told,) = hook.told
    assert told["data"]["about"] == "machine:one"


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
    counting = Counting()
    async with switchboard(db, clock, origin) as board:
        await _told_of_alerts(board, hook.url, max_tries=3)
        await board.note(_alert())

        await board.turn()
        tries = [len(hook.requests)]
        for pause in (29 * SECOND, SECOND, 59 * SECOND, SECOND, 60 * MINUTE):
            await _after(board, clock, pause)
            tries.append(len(hook.requests))
        (dead,) = await board.rows()
        await db.write(lambda tx: notifications.retry(tx, dead.public_id, stamp=Stamp("anna", clock.at)))
        await board.turn()

        (sent,), (channel,) = await board.rows(), await _channels(db)
    assert tries == [1, 1, 2, 2, 3, 3]
    assert (dead.state, dead.status, dead.detail) == ("dead", 500, "HTTP 500")
    assert counting.since("crawler_notifications_total", channel="webhook", result="dead") == 1
    assert (sent.state, sent.status) == ("sent", 204)
    assert len(set(hook.keys)) == 1
    assert (channel.failure_count, channel.last_error, channel.last_sent_at) == (0, None, clock.at)


@on_sqlite
async def test_i6_a_redirect_is_a_failure_and_nobody_follows_it(db: Database, origin: Origin) -> None:
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
async def test_a_receiver_that_asks_for_a_pause_gets_it_for_all_that_waits_and_all_that_comes(
    db: Database, origin: Origin
) -> None:
    clock, hook = At(), Receiver(origin, "/hook", busy(retry_after="600"), Answer())
    async with switchboard(db, clock, origin) as board:
        await _told_of_alerts(board, hook.url)
        await board.note(_alert("one"), _alert("two"))

        await board.turn()
        await board.note(_alert("three"))
        await _after(board, clock, 5 * MINUTE)
        during = len(hook.requests)
        await _after(board, clock, 6 * MINUTE)

    assert during == 1
    assert [each["data"]["detail"] for each in hook.told][1:] == ["two", "three", "one"]


@on_sqlite
async def test_i6_a_receiver_that_hangs_holds_up_nobody_else(db: Database, origin: Origin) -> None:
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


@on_sqlite
@pytest.mark.parametrize(
    ("answer", "turn"),
    [pytest.param(Answer(status=500), 1, id="one that fails"), pytest.param(Answer(), 20, id="busy")],
)
async def test_a_channel_with_much_to_send_gives_its_place_to_one_that_waits(
    db: Database, origin: Origin, monkeypatch: pytest.MonkeyPatch, answer: Answer, turn: int
) -> None:
    monkeypatch.setattr(notification_sender, "AT_ONCE", 1)
    first, second = Receiver(origin, "/first", answer), Receiver(origin, "/second")
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, first.url, name="the first")
        await board.note(*[_alert() for _ in range(24)])
        await board.hand_out.hand_out()
        await _told_of_alerts(board, second.url, name="the second")
        await board.note(_alert())

        await board.turn()

    assert [hit.path for hit in origin.log].index("/second") == turn
    assert len(first.requests) == 25


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


@on_sqlite
async def test_one_whose_tries_are_used_up_is_given_up_although_nobody_said_what_came_of_the_last(
    db: Database, origin: Origin
) -> None:
    clock, hook = At(), Receiver(origin)
    async with switchboard(db, clock, origin) as board:
        await _told_of_alerts(board, hook.url, max_tries=2)
        await board.note(_alert())
        await board.hand_out.hand_out()
        await db.write(lambda tx: _do(tx, sa.update(tables.notifications).values(try_count=2, lease_until=NOON)))

        await board.turn()

        (row,) = await board.rows()
    assert hook.requests == []
    assert (row.state, row.detail) == ("dead", "all tries were used, and the result of the last one is unknown")


@on_sqlite
async def test_a_key_that_cannot_be_read_is_a_failed_try(db: Database, origin: Origin, tmp_path: Path) -> None:
    hook = Receiver(origin)
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, hook.url)
        await board.note(_alert())
        unreadable = tmp_path / "keys"
        unreadable.mkdir()
        board.messenger.vault = KeyFile(unreadable)

        await board.turn()

        (row,) = await board.rows()
    assert hook.requests == []
    assert (row.state, row.due_at) == ("pending", NOON + 30 * SECOND)
    assert "the channel cannot be opened" in row.detail


@pytest.mark.parametrize("database_kind", ["postgresql"], indirect=True)  # the other has one writer at a time
async def test_switching_a_channel_off_while_something_is_sent_by_it_blocks_nobody_for_good(
    db: Database, origin: Origin
) -> None:
    hook, tries = Receiver(origin), Counter[str]()
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, hook.url)
        await board.note(_alert())
        await board.hand_out.hand_out()
        (channel,) = await _channels(db)
        claimed, _ = await db.write(lambda tx: notification_sender.claim(tx, channel.id, now=NOON))
        assert claimed is not None
        settling: list[asyncio.Task[None]] = []

        async def settle(tx: Connection) -> None:
            tries["settle"] += 1
            await notification_sender.settle(
                tx, channel, claimed, DeliveryResult(is_delivered=True, detail="HTTP 200"), now=NOON
            )

        async def switch_off(tx: Connection) -> None:
            tries["switch off"] += 1
            await stored_channels.change(tx, channel.id, ChannelUpdate(enabled=False), now=NOON)
            if not settling:
                settling.append(asyncio.create_task(db.write(settle)))
                await until(lambda: _is_waiting(db))
            await stored.cancel_open(tx, channel.id, detail="off")

        await db.write(switch_off)
        await asyncio.gather(*settling)

        assert [row.state for row in await board.rows()] == ["cancelled"]
    assert tries == {"settle": 1, "switch off": 1}


async def _is_waiting(db: Database) -> bool:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    async with db.read() as reading:
        return bool(await reading.scalar(sa.text(waiting)))


async def _do(db: Connection, statement: Any) -> None:
    await db.execute(statement)


async def _channels(db: Database) -> list[Any]:
    async with db.read() as reading:
        return list(await stored_channels.listed(reading))


@on_sqlite
@pytest.mark.parametrize("path", ["/T0/B0/s3cret-s3cret", "/" + "s3cret" * 40], ids=["short", "long"])
async def test_an_answer_that_is_no_http_is_a_failure_that_does_not_tell_the_target(
    db: Database, origin: Origin, path: str
) -> None:
    Receiver(origin, path, huge_header(64))
    async with switchboard(db, At(), origin) as board:
        await _told_of_alerts(board, origin.url + path)
        await board.note(_alert())

        await board.turn()

        (row,), (channel,) = await board.rows(), await _channels(db)
    assert row.detail == channel.last_error == "the receiver's response is not HTTP"


async def test_a_receiver_that_is_too_slow_is_told_of_without_the_target() -> None:
    class Slow:
        async def post(self, url: str, *_: object, **__: object) -> Failed:
            said = "timed out: Connection timeout to host https://hooks.example/s3cret"
            return Failed(url=url, fault=Fault.TIMEOUT, detail=said, at=NOON, took=SECOND)

    webhooks = Webhooks(cast("Client", Slow()), guard=AddressGuard(AllowList.parse("")))

    told = await webhooks.post("https://hooks.example/s3cret?", b"", headers={})

    assert told.detail == "the receiver did not respond in time"


# ── where it may go ──────────────────────────────────────────────────────────────────────────────────────────────────


@on_sqlite
async def test_an_address_that_nobody_opened_is_refused_when_it_is_saved(db: Database) -> None:
    async with switchboard(db, At()) as board:
        with pytest.raises(BadInput, match=r"not a public address.*LAMPLIGHTER_ALLOW_HOSTS") as refused:
            await board.channel("http://127.0.0.1:9/hook")

    assert refused.value.field == "target"


@on_sqlite
async def test_i6_j6_a_name_that_leads_to_such_an_address_is_refused_when_it_is_asked_for(
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
                tx, channel, off, messenger=board.messenger, stamp=Stamp("anna", clock.at)
            )
        )

        await board.note(_alert())
        await _after(board, clock, 60 * MINUTE)

        assert [(row.state, row.detail) for row in await board.rows()] == [("cancelled", "its channel was disabled")]
    assert len(hook.requests) == 1


@on_sqlite
async def test_what_a_channel_gave_up_is_not_retried_while_it_is_off(db: Database, origin: Origin) -> None:
    hook = Receiver(origin, "/hook", Answer(status=500))
    async with switchboard(db, At(), origin) as board:
        off, on = [await board.channel(hook.url, name=name, enabled=name == "on") for name in ("off", "on")]
        for channel in (off, on):
            await notifications.test(db, board.messenger, channel, stamp=Stamp("anna", NOON))

        retried = await db.write(lambda tx: notifications.retry_dead(tx, stamp=Stamp("anna", NOON)))
        with pytest.raises(NotPossible, match="off is disabled"):
            await db.write(lambda tx: notifications.retry_dead(tx, channel=off, stamp=Stamp("anna", NOON)))

        assert [row.state for row in await board.rows()] == ["dead", "pending"]
    assert retried == 1


@on_sqlite
async def test_an_id_that_is_no_text_is_the_id_of_nothing(db: Database) -> None:
    gets = (notification_channels.get, notification_rules.get, notifications.get)

    async with db.read() as reading:
        for get in gets:
            with pytest.raises(NotFound):
                await get(reading, "\udcff")


@on_sqlite
async def test_the_log_goes_without_what_belongs_to_a_channel_that_is_removed_meanwhile(
    db: Database, origin: Origin, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def none_left(*_: object) -> dict[int, Channel]:
        return {}

    async with switchboard(db, At(), origin) as board:
        await notifications.test(db, board.messenger, await board.channel(origin.url), stamp=Stamp("anna", NOON))
        (row,) = await board.rows()
        monkeypatch.setattr(stored_channels, "many", none_left)

        async with db.read() as reading:
            entries, _ = await notifications.log(reading, limit=10, offset=0)
            with pytest.raises(NotFound):
                await notifications.get(reading, row.public_id)

    assert entries == []


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
async def test_a_test_that_arrives_lets_what_was_held_back_go(db: Database, origin: Origin) -> None:
    clock, hook = At(), Receiver(origin, "/hook", busy(retry_after="86400"), Answer())
    async with switchboard(db, clock, origin) as board:
        channel = await _told_of_alerts(board, hook.url)
        await board.note(_alert("one"))
        await board.turn()
        await board.note(_alert("two"))
        await _after(board, clock, MINUTE)
        held = len(hook.requests)

        await notifications.test(db, board.messenger, channel, stamp=Stamp("anna", clock.at))
        await board.turn()

    assert held == 1
    assert [each["event"] for each in hook.told][1:] == ["test", "alert.fired"]
    assert hook.told[-1]["data"]["detail"] == "two"


@on_sqlite
async def test_a_test_is_sent_at_once_and_not_again(db: Database, origin: Origin) -> None:
    clock, hook = At(), Receiver(origin, "/hook", Answer(status=403), Answer())
    async with switchboard(db, clock, origin) as board:
        channel = await board.channel(hook.url, enabled=False)

        told = [await notifications.test(db, board.messenger, channel, stamp=Stamp("anna", clock.at)) for _ in range(2)]
        await _after(board, clock, 60 * MINUTE)

        assert [row.state for row in await board.rows()] == ["dead", "sent"]
    assert [(each.is_delivered, each.status) for each in told] == [(False, 403), (True, 200)]
    assert [each["event"] for each in hook.told] == ["test", "test"]
