"""What do the pages show, and what can be done on them?"""

from datetime import timedelta

import pytest

from lamplighter.app import Store, default_policy
from lamplighter.crawl.norms import Norms
from lamplighter.model.crawl import Outcome
from lamplighter.model.record import Record, RecordKind
from lamplighter.operations import runs, sources
from lamplighter.store import crawl_jobs, crawl_runs, records
from lamplighter.web.server import ServiceView
from tests.web.asking import Ask

OWN = {"sec_fetch_site": "same-origin"}


async def add_source(store: Store, **values: object) -> int:
    new = sources.NewSource(**{"url": "https://example.org/jobs", **values})
    return await store.db.write(lambda db: sources.add(db, new, actor="test", now=store.clock.now()))


async def add_record(store: Store, source_id: int, **values: object) -> None:
    given = {
        "kind": RecordKind.JOB,
        "url": "https://example.org/jobs/1",
        "canonical_hash": "a",
        "content_hash": "b",
        "title": "Harbour pilot",
    }
    record = Record(**{**given, **values})
    find = records.Find(source_id, None, "k", True, record)
    await store.db.write(lambda db: records.put(db, [find], now=store.clock.now()))


async def test_an_empty_service_says_how_to_begin(ask: Ask) -> None:
    reply = await ask("/")

    assert reply.status == 200
    assert "lamplighter sources add" in reply.text


async def test_a_source_is_shown_with_its_last_run_and_the_reason_of_its_next(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source_id = await add_source(store, name="Quay Jobs")
    now, policy = store.clock.now(), default_policy(view.settings)
    run = await store.db.write(
        lambda db: runs.run_now(db, source_id, now=now, deadline=timedelta(hours=1), norms=Norms(host=policy))
    )
    await store.db.write(
        lambda db: crawl_runs.close(db, run, now=now, outcome=Outcome.WARN, message="2 pages not had", records_shown=0)
    )

    text = (await ask("/")).text

    assert "Quay Jobs" in text
    assert "2 pages not had" in text
    assert 'class="outcome warn"' in text


async def test_what_a_site_says_is_never_markup(ask: Ask, store: Store) -> None:
    source_id = await add_source(store, name="<script>alert(1)</script>")
    await add_record(store, source_id, title="<script>alert(2)</script>", organisation='"><img src=x onerror=alert(3)>')

    text = (await ask("/")).text

    assert "<script>" not in text
    assert "<img" not in text
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in text


async def test_a_record_is_linked_without_a_trace(ask: Ask, store: Store) -> None:
    await add_record(store, await add_source(store))

    text = (await ask("/")).text

    assert '<a href="https://example.org/jobs/1" rel="noreferrer noopener">Harbour pilot</a>' in text


async def test_an_address_that_is_not_of_the_web_is_not_linked(ask: Ask, store: Store) -> None:
    await add_record(store, await add_source(store), url="javascript:alert(1)")

    text = (await ask("/")).text

    assert "Harbour pilot" in text
    assert "javascript:" not in text


async def test_a_site_owner_learns_how_to_keep_us_out(ask: Ask) -> None:
    text = (await ask("/bot")).text

    assert "User-agent: LamplighterBot\nDisallow: /" in text


async def test_the_demo_can_be_removed_only_while_there_is_one(ask: Ask, store: Store) -> None:
    before = (await ask("/")).text
    await add_source(store, tags=("demo",))

    assert "Remove the demo" not in before
    assert "Remove the demo" in (await ask("/")).text


async def test_removing_the_demo_leaves_all_other_sources(ask: Ask, store: Store) -> None:
    await add_source(store, name="Mine")
    await add_source(store, name="Fiction", url="http://127.0.0.1:8061/", tags=("demo",))

    reply = await ask("/demo/remove", method="POST", **OWN)
    text = (await ask("/")).text

    assert (reply.status, reply.headers["location"]) == (303, "/")
    assert "Mine" in text
    assert "Fiction" not in text


@pytest.mark.parametrize("headers", [{}, {"sec_fetch_site": "cross-site"}, {"origin": "http://evil.example"}])
async def test_a_foreign_page_cannot_remove_the_demo(ask: Ask, store: Store, headers: dict[str, str]) -> None:
    await add_source(store, tags=("demo",))

    reply = await ask("/demo/remove", method="POST", **headers)

    assert reply.status == 403
    assert "Remove the demo" in (await ask("/")).text


async def test_the_status_page_shows_how_the_coming_day_fills_up(ask: Ask, store: Store) -> None:
    now = store.clock.now()
    source_id = await store.db.write(
        lambda db: sources.add(db, sources.NewSource(url="https://a.example/"), actor="test", now=now)
    )
    await store.db.write(
        lambda db: crawl_jobs.add(
            db, source_id=source_id, priority=50, interval=timedelta(hours=6), next_run_at=now, now=now
        )
    )

    page = (await ask("/")).text

    assert "4 runs start in the next 24 hours, at most 1 in a quarter" in " ".join(page.split())
    assert page.count("<rect ") == 4
