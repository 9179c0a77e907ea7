"""Pages: the list of them, one of them, and what can be done with them."""

from typing import Any
from uuid import uuid4

import pytest

from lamplighter.app import Store
from lamplighter.model.page import Phase
from lamplighter.store.pages import page_lists
from lamplighter.store.schema import tables
from tests.crawl.runs.due_jobs import Queues
from tests.store.given_rows import a_run, some_pages
from tests.web.asgi_client import Ask
from tests.web.forms import send_form

FAILED = {"phase": Phase.FAILED, "reason": "timeout", "detail": "no answer within 20 s", "retry_count": 3}


async def given(store: Store, *paths: str, **columns: Any) -> list[int]:
    """Pages of a new source."""
    source_id, run_id = await store.db.write(a_run)
    return await store.db.write(lambda db: some_pages(db, source_id, run_id, *paths, **columns))


async def phase_of(store: Store, page_id: int) -> str:
    async with store.db.read() as db:
        return str((await page_lists.one(db, page_id, now=store.clock.now())).phase)


async def test_an_empty_list_says_what_to_do(ask: Ask) -> None:
    assert "No page is known yet" in (await ask("/pages")).text


async def test_a_page_is_listed_with_where_it_stands_and_why(ask: Ask, store: Store) -> None:
    await given(store, "/jobs/7", **FAILED)

    text = (await ask("/pages")).text

    assert "https://a.example/jobs/7" in text
    assert "no response in time: no answer within 20 s" in text
    assert '<span class="badge bad">failed</span>' in text


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        pytest.param({"q": "JOBS"}, True, id="a part of the URL, in any case"),
        pytest.param({"q": "%"}, False, id="not a wildcard"),
        pytest.param({"status": "failed"}, True, id="its status"),
        pytest.param({"status": "fetched"}, False, id="another status"),
        pytest.param({"reason": "timeout"}, True, id="its error"),
        pytest.param({"status": "dead", "reason": "timeout"}, False, id="an error that is not that of its status"),
        pytest.param({"kind": "link"}, True, id="its kind"),
        pytest.param({"kind": "submitted"}, False, id="another kind"),
        pytest.param({"host": "A.example"}, True, id="its host"),
        pytest.param({"host": "b.example"}, False, id="a host that nobody knows"),
        pytest.param({"source": str(uuid4())}, False, id="a source that there is not"),
        pytest.param({"source": "nonsense"}, False, id="no source at all"),
        pytest.param({"status": "nonsense"}, True, id="a status that there is not means any"),
    ],
)
async def test_the_list_shows_what_is_asked_for(ask: Ask, store: Store, query: dict[str, str], is_found: bool) -> None:
    await given(store, "/jobs/7", **FAILED)

    reply = await ask("/pages", query=query)

    assert reply.status == 200
    assert ("https://a.example/jobs/7" in reply.text) is is_found


async def test_a_text_is_looked_for_in_the_newest_pages_and_the_list_says_so(
    ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await given(store, "/jobs/old", "/jobs/new", found_on=1)
    whole = (await ask("/pages", query={"q": "jobs"})).text
    monkeypatch.setattr(page_lists, "MOST_SEARCHED", 1)

    cut = (await ask("/pages", query={"q": "jobs"})).text
    on_a_host = (await ask("/pages", query={"q": "jobs", "host": "a.example"})).text
    links = (await ask("/links", query={"q": "jobs"})).text
    told = (await ask("/api/v1/frontier", query={"search": "jobs"})).json

    assert "were searched." not in whole
    assert "were searched. Filter by host to search its older pages." in " ".join(cut.split())
    assert "pages of a.example were searched." in on_a_host
    assert "were searched." in links
    assert ("/jobs/new" in cut, "/jobs/old" in cut) == (True, False)
    assert (told["total"], told["total_is_exact"]) == (1, False)


async def test_counting_is_done_when_asked_for(ask: Ask, store: Store) -> None:
    await given(store, "/1", "/2", **FAILED)

    assert "<strong>2</strong> failed" in (await ask("/pages/counts")).text


async def test_what_a_site_says_stays_text(ask: Ask, store: Store) -> None:
    (page_id,) = await given(store, "/<script>x</script>", **FAILED | {"detail": "<img src=x onerror=alert(1)>"})

    both = (await ask("/pages")).text + (await ask(f"/pages/{page_id}")).text

    assert "<img" not in both
    assert "<script>x" not in both


async def test_a_page_tells_its_life(ask: Ask, store: Store) -> None:
    (page_id,) = await given(store, "/jobs/7", etag='"abc"', status=503, **FAILED)

    text = (await ask(f"/pages/{page_id}")).text

    for part in ("no response in time", "ETag &#34;abc&#34;", "discovered", "1 link from the start page", "Restart"):
        assert part in text


async def test_a_page_that_there_is_not_is_not_found(ask: Ask) -> None:
    assert (await ask("/pages/77")).status == 404
    for action in ("restart", "restart-parsing", "pause", "resume", "cancel", "forget"):
        assert (await send_form(ask, f"/pages/77/{action}")).status == 404


async def test_a_failed_page_is_restarted_and_its_life_says_by_whom(ask: Ask, store: Store) -> None:
    (page_id,) = await given(store, "/jobs/7", **FAILED)

    reply = await send_form(ask, f"/pages/{page_id}/restart", back="/pages?status=failed")

    assert (reply.status, reply.headers["location"]) == (303, "/pages?status=failed")
    assert await phase_of(store, page_id) == Phase.WAITING
    assert "by local" in (await ask(f"/pages/{page_id}")).text


async def test_a_page_without_a_copy_offers_no_second_reading(ask: Ask, store: Store) -> None:
    (page_id,) = await given(store, "/jobs/7", **FAILED)

    text = (await ask(f"/pages/{page_id}")).text
    reply = await send_form(ask, f"/pages/{page_id}/restart-parsing")

    assert "Parse our copy again" not in text
    assert reply.status == 422


async def test_a_page_is_paused_and_resumed(ask: Ask, store: Store) -> None:
    (page_id,) = await given(store, "/jobs/7")

    await send_form(ask, f"/pages/{page_id}/pause")
    paused = await phase_of(store, page_id)
    await send_form(ask, f"/pages/{page_id}/resume")

    assert paused == Phase.PAUSED
    assert await phase_of(store, page_id) == Phase.WAITING


@pytest.mark.parametrize("action", ["cancel", "forget"])
async def test_what_ends_a_page_is_confirmed_first(ask: Ask, store: Store, action: str) -> None:
    (page_id,) = await given(store, "/jobs/7", **FAILED)

    asked = await send_form(ask, f"/pages/{page_id}/{action}")
    still = await phase_of(store, page_id)
    done = await send_form(ask, f"/pages/{page_id}/{action}", confirmed=1)

    assert "https://a.example/jobs/7" in asked.text
    assert still == Phase.FAILED
    assert done.status == 303
    assert (await ask(f"/pages/{page_id}")).status == (404 if action == "forget" else 200)


async def test_restarting_what_matches_says_how_many_and_leaves_the_rest(ask: Ask, store: Store) -> None:
    source_id, run_id = await store.db.write(a_run)
    failed = await store.db.write(lambda db: some_pages(db, source_id, run_id, "/1", "/2", **FAILED))
    (gone,) = await store.db.write(
        lambda db: some_pages(db, source_id, run_id, "/3", phase=Phase.FAILED, reason="not_found")
    )

    asked = await send_form(ask, "/pages/restart", status="failed")
    done = await send_form(ask, "/pages/restart", status="failed", confirmed=1)

    assert "Fetch 2 pages again?" in asked.text
    assert done.headers["location"] == "/pages?status=failed"
    assert [await phase_of(store, page_id) for page_id in (*failed, gone)] == ["waiting", "waiting", "failed"]
    orders = await Queues(store.db).rows(tables.page_orders)
    assert sorted((order.page_id, order.priority) for order in orders) == [(page_id, 50) for page_id in failed]


async def test_a_url_is_submitted_once_or_again_and_again(ask: Ask, store: Store) -> None:
    reply = await send_form(ask, "/pages/submit", url="https://shop.example/lamp", frequency="6 hours", priority="80")

    text = (await ask(reply.headers["location"])).text
    assert reply.status == 303
    assert "every 6 h" in text
    assert "<dd>80</dd>" in text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param({"url": "ftp://shop.example/"}, "neither http nor https", id="no URL of the web"),
        pytest.param({"frequency": "often"}, "is not an interval", id="no interval"),
        pytest.param({"frequency": "5 seconds"}, "too often", id="too often"),
        pytest.param({"priority": "1000"}, "out of range", id="no priority"),
        pytest.param({"priority": "high"}, "is not a whole number", id="no number"),
        pytest.param({"source": "mine"}, "is not the id of a source", id="no id"),
    ],
)
async def test_a_form_that_cannot_be_used_keeps_what_was_typed(ask: Ask, fields: dict[str, str], message: str) -> None:
    typed = {"url": "https://shop.example/lamp", "frequency": "1 day", "priority": "50", **fields}

    reply = await send_form(ask, "/pages/submit", **typed)

    assert reply.status == 422
    assert message in reply.text
    (name,) = fields
    assert f'id="{name}-about" role="alert"' in reply.text
    for value in typed.values():
        assert f'value="{value}"' in reply.text


async def test_a_url_that_was_submitted_before_is_said_beside_the_field(ask: Ask) -> None:
    await send_form(ask, "/pages/submit", url="https://shop.example/lamp")

    reply = await send_form(ask, "/pages/submit", url="https://shop.example/lamp")

    assert reply.status == 422
    assert "was already submitted" in reply.text
