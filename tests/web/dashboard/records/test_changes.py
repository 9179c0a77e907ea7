"""The page of changes: entries, filters, what somebody has read, and saving a view."""

from urllib.parse import urlencode

import pytest

from lamplighter.app import Store
from lamplighter.operations.alerts import notification_rules
from lamplighter.store.sources import sources
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask
from tests.web.dashboard.records.given_change_sets import a_change_set
from tests.web.forms import send_form as post

EVIL = "<img src=x onerror=alert(1)>"


async def test_before_anything_changed_the_page_says_what_will_stand_there(ask: Ask) -> None:
    assert "Nothing has changed yet." in (await ask("/changes")).text


async def test_a_price_is_told_by_its_move_and_nothing_crawled_is_markup(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    as_written = ("€ 20.00", "€ 15.00")
    await a_change_set(store, view, "kettles", title=EVIL, price=(20.0, 15.0), more={"fields.price_raw": as_written})

    text = (await ask("/changes")).text

    assert "<del>20.00</del> → <ins>15.00</ins>" in text
    assert "▼ −25.0\u202f%" in text
    assert '<span class="field">price: <span' in text, "on one line: line breaks of values are shown"
    assert "price raw" not in text
    assert EVIL not in text


async def test_the_address_keeps_the_filter_and_every_link_of_the_page_has_it(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    await a_change_set(store, view, "kettles", title="Kettle", tags=("shop",), price=(20.0, 15.0))
    await a_change_set(store, view, "quay", tags=("harbour",))

    text = (await ask("/changes?tag=shop&period=7d&change=changed")).text

    assert "Kettle" in text
    assert "Harbour pilot" not in text
    assert "/api/v1/changes/feed.rss?tag=shop&amp;period=7d&amp;change=changed" in text
    assert "/changes?tag=shop&amp;period=24h&amp;change=changed" in text or (
        "/changes?tag=shop&amp;change=changed&amp;period=24h" in text
    )


async def test_a_filter_that_means_nothing_says_so(ask: Ask) -> None:
    answer = await ask("/changes?change=eaten")

    assert answer.status == 422
    assert "change: " in answer.text


async def test_older_changes_are_a_page_away(
    ask: Ask, store: Store, view: ServiceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lamplighter.web.dashboard.records.changes.LIMIT", 1)
    for name in ("first", "second"):
        await a_change_set(store, view, name)

    newest = (await ask("/changes")).text
    older = (await ask("/changes?before=2")).text

    assert 'href="/changes?before=2"' in newest
    assert (">second</a>" in newest, ">first</a>" in newest) == (True, False)
    assert (">second</a>" in older, ">first</a>" in older) == (False, True)


async def test_unread_entries_are_counted_in_the_menu_until_they_are_read(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    for name in ("first", "second"):
        await a_change_set(store, view, name)

    def counted(text: str) -> bool:
        return '<span class="unseen"> unread</span>' in text

    before = (await ask("/records")).text
    await post(ask, "/changes/1/mark", mark="read")
    one = (await ask("/records")).text
    await post(ask, "/changes/read", to="2")
    after = (await ask("/records")).text
    await post(ask, "/changes/2/mark", mark="unread")
    again = (await ask("/changes?marked=unread")).text

    assert ('unread">2<' in before, 'unread">1<' in one, counted(after)) == (True, True, False)
    assert (">second</a>" in again, ">first</a>" in again) == (True, False)


async def test_a_star_stays_when_all_is_read(ask: Ask, store: Store, view: ServiceView) -> None:
    for name in ("first", "second"):
        await a_change_set(store, view, name)

    await post(ask, "/changes/1/mark", mark="star")
    await post(ask, "/changes/read", to="2")
    starred = (await ask("/changes?marked=starred")).text

    assert (">first</a>" in starred, ">second</a>" in starred) == (True, False)
    assert "Remove the star" in starred


async def test_a_mark_or_an_entry_that_is_unknown_is_refused(ask: Ask, store: Store, view: ServiceView) -> None:
    await a_change_set(store, view, "first")

    assert (await post(ask, "/changes/1/mark", mark="eaten")).status == 422
    assert (await post(ask, "/changes/9/mark", mark="read")).status == 404


async def test_a_view_becomes_rules_for_the_same_changes(ask: Ask, store: Store, view: ServiceView) -> None:
    new = {"name": "Me", "kind": "webhook", "target": "https://hooks.example/"}
    channel = (await ask("/api/v1/notifications/channels", method="POST", json=new)).json["id"]
    await a_change_set(store, view, "kettles", tags=("shop",))

    given = {"tag": "shop", "change": "changed", "words": "kettle", "channel": channel, "digest_minutes": "10080"}
    done = await post(ask, "/changes/alert", **given)
    every = await post(ask, "/changes/alert", tag="shop", channel=channel, digest_minutes="0")

    async with store.db.read() as db:
        first, *rest = sorted(await notification_rules.listed(db), key=lambda each: each.rule.id)
    assert (done.status, every.status) == (303, 303)
    assert (first.rule.kind, first.rule.tag, first.rule.words) == ("records.changed", "shop", "kettle")
    assert first.rule.digest_minutes == 7 * 24 * 60
    assert {each.rule.kind for each in rest} == {"records.new", "records.changed", "records.gone", "records.back"}


async def test_a_view_without_a_channel_says_what_is_missing(ask: Ask, store: Store, view: ServiceView) -> None:
    await a_change_set(store, view, "kettles")

    answer = await post(ask, "/changes/alert", channel="", digest_minutes="0")

    assert answer.status == 422
    assert "There is no channel yet" in answer.text


async def test_the_start_page_has_the_latest_changes(ask: Ask, store: Store, view: ServiceView) -> None:
    await a_change_set(store, view, "kettles", title="Kettle", price=(20.0, 15.0))

    text = (await ask("/")).text

    assert "kettles: Kettle" in text
    assert "1 changed" in text


async def test_one_source_is_chosen_by_its_url_its_name_or_a_part_that_no_other_has(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    for name in ("quay", "quay-north"):
        await a_change_set(store, view, name)
    async with store.db.read() as db:
        chosen = {each.name: each for each in await sources.all_with_tag(db, None)}
    quay, north = (f"/changes?period=7d&source_id={chosen[name].public_id}" for name in ("quay", "quay-north"))

    for typed, path in ((chosen["quay"].url, quay), ("Quay", quay), ("north", north)):
        reply = await ask(f"/changes?{urlencode({'period': '7d', 'source': typed})}")
        assert (reply.status, reply.headers["location"]) == (303, path)
    by_script = await ask("/changes?period=7d&source=north", hx_request="true", hx_target="stream")
    assert by_script.headers["hx-redirect"] == north
    assert "only quay" in (await ask(quay)).text
    for typed, fault in (("qua", "2 sources match"), ("<b>", "no source matches &#39;&lt;b&gt;&#39;")):
        reply = await ask(f"/changes?source={typed}")
        assert reply.status == 422
        assert fault in reply.text
    assert (
        f'href="/changes?source_id={chosen["quay"].public_id}"'
        in (await ask(f"/sources/{chosen['quay'].public_id}/changes")).text
    )
