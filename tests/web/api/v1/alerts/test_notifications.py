"""Channels, rules and what was told, over the API: targets and secrets go in and never come out."""

from typing import Any

import pytest

from lamplighter.app import Service
from lamplighter.settings import Settings
from tests.crawl.alerts.notification_loops import Receiver
from tests.crawl.runs.due_jobs import on_sqlite
from tests.origin import Answer, Origin
from tests.web.asgi_client import Ask, Reply

PATH = "/api/v1/notifications"
HOOK = {"name": "ops", "kind": "webhook", "target": "https://hooks.example.org/T0/s3cret", "secret": "s1gning"}

BAD_CHANNELS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "pigeon"}, "kind"),
    ({"name": " "}, "name"),
    ({"target": "not a url s3cret"}, "target"),
    ({"target": 12345}, "target"),
    ({"target": "http://127.0.0.1:1/s3cret"}, "target"),
    ({"kind": "email", "target": "s3cret@", "secret": None}, "target"),
    ({"kind": "slack"}, "secret"),
    ({"secret": "s3 cret"}, "secret"),
    ({"title_template": "{{ nothing }}"}, "title_template"),
    ({"body_template": "{{ source"}, "body_template"),
    ({"max_tries": 0}, "max_tries"),
    ({"max_per_minute": 1001}, "max_per_minute"),
    ({"tagret": "s3cret"}, "tagret"),
]
BAD_RULES: list[tuple[dict[str, Any], str]] = [
    ({"kind": "run.exploded"}, "kind"),
    ({"kind": "test"}, "kind"),
    ({"channel_id": "nobody"}, "channel"),
    ({"source_id": "nobody"}, "source"),
    ({"threshold": 101}, "threshold"),
    ({"kind": "records.new", "threshold": 2}, "threshold"),
    ({"digest_minutes": 10_081}, "digest_minutes"),
    ({"words": "nurse"}, "words"),
    ({"kind": "records.new", "field": "price"}, "field"),
    ({"kind": "price.fell"}, "price_below"),
    ({"kind": "price.fell", "price_below": -1}, "price_below"),
]


@pytest.fixture
def settings(settings: Settings, origin: Origin) -> Settings:
    """An installation that may write to the origin, and to no other address of its own."""
    return settings.model_copy(update={"allow_hosts": origin.address})


def _fields(reply: Reply) -> list[str]:
    return [fault["field"] for fault in reply.json["errors"]]


async def _channel(ask: Ask, **more: Any) -> str:
    reply = await ask.post(f"{PATH}/channels", HOOK | more)
    assert reply.status == 201, reply.text
    return str(reply.json["id"])


async def _rule(ask: Ask, channel_id: str, kind: str = "run.failed", **more: Any) -> str:
    reply = await ask.post(f"{PATH}/rules", {"channel_id": channel_id, "kind": kind} | more)
    assert reply.status == 201, reply.text
    return str(reply.json["id"])


async def test_a_channel_is_added_shown_changed_and_removed_and_nobody_sees_where_it_leads(ask: Ask) -> None:
    channel_id = await _channel(ask, title_template="{{ source }}")
    rule_id = await _rule(ask, channel_id)

    one = await ask.get(f"{PATH}/channels/{channel_id}")
    kept = await ask.patch(f"{PATH}/channels/{channel_id}", {"target": "https://new.example.org/s3cret"})
    changed = await ask.patch(
        f"{PATH}/channels/{channel_id}",
        {"name": "on call", "target": "https://new.example.org/s3cret", "secret": None, "title_template": None},
    )
    listed = await ask.get(f"{PATH}/channels")
    twin = await ask.post(f"{PATH}/channels", HOOK | {"name": "on call"})
    removed = await ask.delete(f"{PATH}/channels/{channel_id}")
    audit = await ask.get("/api/v1/audit", action="notification_channel.change")

    assert one.json["target_hint"] == "https://hooks.example.org"
    assert (one.json["has_secret"], one.json["title_template"], one.json["max_tries"]) == (True, "{{ source }}", 8)
    assert (kept.status, _fields(kept)) == (422, ["secret"])
    assert changed.json["target_hint"] == "https://new.example.org"
    assert (changed.json["has_secret"], changed.json["title_template"]) == (False, None)
    assert [each["name"] for each in listed.json["channels"]] == ["on call"]
    assert (twin.status, twin.json["errors"][0]["field"]) == (409, "name")
    assert removed.status == 204
    assert (await ask.get(f"{PATH}/channels/{channel_id}")).json["code"] == "channel_not_found"
    assert (await ask.get(f"{PATH}/rules/{rule_id}")).json["code"] == "rule_not_found"
    assert audit.json["total"] == 1
    for reply in (one, changed, listed, audit):
        assert "s3cret" not in reply.text
        assert "s1gning" not in reply.text


@on_sqlite
async def test_a_channel_that_cannot_work_is_refused_with_the_field_and_without_the_value(ask: Ask) -> None:
    replies = [await ask.post(f"{PATH}/channels", HOOK | given) for given, _ in BAD_CHANNELS]

    assert [(reply.status, _fields(reply)) for reply in replies] == [(422, [field]) for _, field in BAD_CHANNELS]
    assert [reply.text for reply in replies if "s3cret" in reply.text or "12345" in reply.text] == []


@on_sqlite
async def test_a_rule_is_added_changed_and_removed(ask: Ask) -> None:
    channel_id = await _channel(ask)
    rule_id = await _rule(ask, channel_id, tag="news", threshold=3, digest_minutes=15)

    one = await ask.get(f"{PATH}/rules/{rule_id}")
    changed = await ask.patch(f"{PATH}/rules/{rule_id}", {"tag": None, "digest_minutes": None, "enabled": False})
    listed = await ask.get(f"{PATH}/rules", channel_id=channel_id)
    removed = await ask.delete(f"{PATH}/rules/{rule_id}")

    assert (one.json["channel_name"], one.json["tag"], one.json["threshold"]) == ("ops", "news", 3)
    assert one.json["digest_minutes"] == 15
    names = ("tag", "threshold", "digest_minutes", "enabled")
    assert [changed.json[name] for name in names] == [None, 3, None, False]
    assert (listed.json["total"], removed.status) == (1, 204)


@on_sqlite
async def test_a_rule_that_makes_no_sense_is_refused_with_the_field(ask: Ask) -> None:
    usual = {"channel_id": await _channel(ask), "kind": "run.failed"}

    replies = [await ask.post(f"{PATH}/rules", usual | given) for given, _ in BAD_RULES]

    assert [(reply.status, _fields(reply)) for reply in replies] == [(422, [field]) for _, field in BAD_RULES]


@on_sqlite
async def test_a_test_says_what_came_of_it_and_what_died_is_retried_by_hand(
    ask: Ask, service: Service, origin: Origin
) -> None:
    hook = Receiver(origin, "/hook", Answer(status=503), Answer())
    channel_id = await _channel(ask, target=hook.url)

    told = await ask.post(f"{PATH}/channels/{channel_id}/test")
    dead = await ask.get(f"{PATH}/log", state="dead")
    (entry,) = dead.json["notifications"]
    shown = await ask.get(f"{PATH}/log/{entry['id']}")
    retried = await ask.post(f"{PATH}/log/{entry['id']}/retry")
    again = await ask.post(f"{PATH}/log/{entry['id']}/retry")
    await service.notifying.notify.send_due()
    all_dead = await ask.post(f"{PATH}/log/retry-dead", {"channel_id": channel_id})

    await ask.patch(f"{PATH}/channels/{channel_id}", {"enabled": False})
    switched_off = await ask.post(f"{PATH}/log/{entry['id']}/retry")

    assert "is disabled" in switched_off.json["detail"]
    assert told.json == {"delivered": False, "status": 503, "detail": "HTTP 503"}
    assert (entry["title"], entry["detail"], entry["channel_name"]) == ("Test from Lamplighter", "HTTP 503", "ops")
    assert shown.json == entry
    assert (retried.json["state"], retried.json["try_count"]) == ("pending", 0)
    assert again.status == 409
    assert (await ask.get(f"{PATH}/log/{entry['id']}")).json["state"] == "sent"
    assert len(set(hook.keys)) == 1
    assert all_dead.json == {"retried": 0}


@on_sqlite
async def test_a_preview_shows_the_words_and_the_payload_of_an_example(ask: Ask) -> None:
    reply = await ask.post(f"{PATH}/preview", {"kind": "run.failed", "title_template": "{{ source }} is down"})
    refused = await ask.post(f"{PATH}/preview", {"kind": "run.failed", "body_template": "a\n{{ oops }}"})

    assert reply.json["title"] == "Example jobs is down"
    assert reply.json["payload"]["event"] == "run.failed"
    assert refused.status == 422
    assert refused.json["errors"][0]["field"] == "body_template"
    assert "line 2, column 1" in refused.json["detail"]


@on_sqlite
async def test_a_rule_says_what_it_watches_and_a_channel_its_rate(ask: Ask) -> None:
    channel_id = await _channel(ask)
    given = {"words": "lamp,  oil lamp", "price_below": 99.5, "with_baseline": True}
    rule_id = await _rule(ask, channel_id, "price.fell", **given)

    changed = await ask.patch(f"{PATH}/rules/{rule_id}", {"words": None, "digest_minutes": 0})
    rated = await ask.patch(f"{PATH}/channels/{channel_id}", {"max_per_minute": None})

    rule = (await ask.get(f"{PATH}/rules/{rule_id}")).json
    assert (rule["price_below"], rule["with_baseline"], rule["field"]) == (99.5, True, None)
    assert (changed.json["words"], changed.json["digest_minutes"]) == (None, None)
    assert rated.json["max_per_minute"] is None
    assert (await ask.get(f"{PATH}/channels/{await _channel(ask, name='two')}")).json["max_per_minute"] == 60


@on_sqlite
async def test_without_a_mail_server_no_channel_can_be_an_e_mail(ask: Ask) -> None:
    reply = await ask.post(f"{PATH}/channels", {"name": "mail", "kind": "email", "target": "ops@example.org"})

    assert reply.status == 422
    assert "LAMPLIGHTER_SMTP_URL" in reply.json["detail"]
