"""Discovered links: what they are worth, and what becomes of them."""

from typing import Any
from urllib.parse import urlencode

import pytest

from lamplighter.app import Store
from lamplighter.model.page import IGNORED, Phase
from lamplighter.operations.sources import sources
from lamplighter.store.pages import page_lists
from tests.store.given_rows import a_run, some_pages
from tests.web.asgi_client import Ask, Reply
from tests.web.forms import FORM


async def send(ask: Ask, path: str, *links: int, **fields: Any) -> Reply:
    pairs = [*fields.items(), *(("link", link) for link in links)]
    return await ask(path, method="POST", body=urlencode(pairs).encode(), **FORM)


async def found(store: Store, *paths: str, **columns: Any) -> list[int]:
    """Links that were found on a page."""
    source_id, run_id = await store.db.write(a_run)
    (parent,) = await store.db.write(lambda db: some_pages(db, source_id, run_id, "/"))
    now = store.clock.now()
    given = {"found_on": parent, "created_at": now, **columns}
    return await store.db.write(lambda db: some_pages(db, source_id, run_id, *paths, **given))


async def state_of(store: Store, page_id: int) -> tuple[str, str | None]:
    async with store.db.read() as db:
        page = await page_lists.one(db, page_id, now=store.clock.now())
    return page.phase, page.reason


async def test_an_empty_list_says_where_links_come_from(ask: Ask) -> None:
    assert "No link was found yet" in (await ask("/links")).text


async def test_a_score_is_shown_with_its_parts(ask: Ask, store: Store) -> None:
    await found(store, "/board", status=200, content_type="text/html; charset=utf-8")

    text = (await ask("/links")).text

    assert '<span class="link-score">84</span>' in text
    for part in ("30 of 30: responds with 200", "30 of 30: text/html can be parsed", "4 of 20: 1 source links to it"):
        assert part in text


async def test_a_page_that_was_found_on_no_other_is_no_link(ask: Ask, store: Store) -> None:
    source_id, run_id = await store.db.write(a_run)
    (page_id,) = await store.db.write(lambda db: some_pages(db, source_id, run_id, "/"))

    assert (await ask(f"/links/{page_id}/promote")).status == 404
    assert (await send(ask, f"/links/{page_id}/ignore")).status == 404


async def test_a_link_becomes_a_source_with_a_name_and_a_kind(ask: Ask, store: Store) -> None:
    (link,) = await found(store, "/board")

    reply = await send(ask, f"/links/{link}/promote", name="Quay", kind="job")

    async with store.db.read() as db:
        source = await sources.find_by_url(db, "https://a.example/board")
    assert (source.name, source.kind) == ("Quay", "job")
    assert (reply.status, reply.headers["location"]) == (303, f"/sources/{source.public_id}")
    assert "a source of its own" in (await ask("/links", query={"state": "watched"})).text
    assert "No link matches" in (await ask("/links", query={"state": "new"})).text


async def test_what_cannot_be_promoted_keeps_what_was_typed(ask: Ask, store: Store) -> None:
    (link,) = await found(store, "/board")

    reply = await send(ask, f"/links/{link}/promote", name="Quay", kind="poem")

    assert reply.status == 422
    assert 'value="Quay"' in reply.text
    assert "poem" in reply.text


async def test_a_link_is_not_promoted_twice(ask: Ask, store: Store) -> None:
    (link,) = await found(store, "/board")
    await send(ask, f"/links/{link}/promote", name="Quay")

    reply = await send(ask, f"/links/{link}/promote", name="Quay")

    assert reply.status == 422


async def test_an_ignored_link_is_left_alone_until_it_is_taken_up_again(ask: Ask, store: Store) -> None:
    (link,) = await found(store, "/board", phase=Phase.COMPLETED)

    await send(ask, f"/links/{link}/ignore")
    ignored = await state_of(store, link)
    listed = (await ask("/links", query={"state": "ignored"})).text
    await send(ask, f"/links/{link}/notice")

    assert ignored == (Phase.PAUSED, IGNORED)
    assert "https://a.example/board" in listed
    assert await state_of(store, link) == (Phase.WAITING, None)


async def test_a_link_that_is_not_ignored_need_not_be_taken_up(ask: Ask, store: Store) -> None:
    (link,) = await found(store, "/board")

    assert (await send(ask, f"/links/{link}/notice")).status == 409


async def test_many_are_ignored_when_somebody_confirms_how_many(ask: Ask, store: Store) -> None:
    links = await found(store, "/1", "/2", "/3")

    asked = await send(ask, "/links/bulk", *links[:2], action="ignore")
    still = await state_of(store, links[0])
    done = await send(ask, "/links/bulk", *links[:2], action="ignore", confirmed=1)

    assert "Ignore 2 links?" in asked.text
    assert still[0] == Phase.PENDING
    assert done.status == 303
    assert [(await state_of(store, link))[0] for link in links] == ["paused", "paused", "pending"]


async def test_one_that_cannot_be_promoted_does_not_keep_the_others_from_it(ask: Ask, store: Store) -> None:
    links = await found(store, "/1", "/2")
    await send(ask, f"/links/{links[0]}/promote")

    await send(ask, "/links/bulk", *links, action="promote", confirmed=1)

    async with store.db.read() as db:
        assert await page_lists.watched_urls(db, ["https://a.example/2"])


@pytest.mark.parametrize("fields", [{"action": "ignore"}, {"action": "burn", "link": "1"}, {"link": "x"}])
async def test_nothing_chosen_does_nothing(ask: Ask, fields: dict[str, str]) -> None:
    reply = await send(ask, "/links/bulk", **fields)

    assert (reply.status, reply.headers["location"]) == (303, "/links")


@pytest.mark.parametrize("number", [2**63, int("9" * 4000)], ids=["beyond 64 bits", "of very many digits"])
async def test_a_number_that_no_link_can_have_is_passed_over(ask: Ask, store: Store, number: int) -> None:
    (link,) = await found(store, "/1")

    alone = await send(ask, "/links/bulk", number, action="ignore", confirmed=1)
    reply = await send(ask, "/links/bulk", number, link, action="ignore", confirmed=1)

    assert (alone.status, reply.status) == (303, 303)
    assert await state_of(store, link) == (Phase.PAUSED, IGNORED)


async def test_what_a_site_links_to_stays_text(ask: Ask, store: Store) -> None:
    (link,) = await found(store, "/<script>x</script>", content_type="<img src=x>")

    both = (await ask("/links")).text + (await ask(f"/links/{link}/promote")).text

    assert "<script>x" not in both
    assert "<img" not in both
