"""The start page: how sources are doing, which need a person, and the list of all of them."""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.app import Store, default_policy
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState, PauseReason, RunOutcome
from lamplighter.operations.runs import runs
from lamplighter.operations.sources import demo_sources, sources
from lamplighter.store.runs import crawl_runs
from lamplighter.web.view import ServiceView
from tests.counting import statements
from tests.web.asgi_client import Ask, Reply
from tests.web.dashboard.sources.given_sources import add_source, change_job

OWN = {"sec_fetch_site": "same-origin"}


#: a site of the demo's
DEMO: dict[str, Any] = {"url": "http://127.0.0.1:8061/jobs", "tags": ("demo",)}


async def run(store: Store, view: ServiceView, public_id: str, outcome: RunOutcome, message: str) -> None:
    now, source_defaults = store.clock.now(), SourceDefaults(host=default_policy(view.settings))

    async def work(db: Any) -> None:
        source = await sources.find(db, public_id)
        run_id = await runs.run_now(
            db, source.id, now=now, deadline=timedelta(hours=1), source_defaults=source_defaults
        )
        await crawl_runs.close(db, run_id, now=now, outcome=outcome, message=message, records_shown=0)

    await store.db.write(work)


async def part(ask: Ask, path: str, target: str) -> Reply:
    return await ask(path, hx_request="true", hx_target=target)


async def test_an_empty_installation_shows_how_to_begin(ask: Ask) -> None:
    text = (await ask("/")).text

    assert "No sources yet" in text
    assert 'href="/sources/add"' in text
    assert 'id="filters"' not in text


async def test_a_source_is_shown_with_its_last_run_and_the_reason_of_its_next(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    public_id = await add_source(store)
    await run(store, view, public_id, RunOutcome.WARN, "2 pages not had")
    await change_job(store, public_id, state=JobState.SCHEDULED)

    text = (await ask("/")).text

    assert f'href="/sources/{public_id}"' in text
    assert "2 pages not had" in text
    assert '<span class="badge fair">warn</span>' in text
    assert "as soon as possible: it has not run yet" in text


async def test_names_and_messages_are_never_markup(ask: Ask, store: Store, view: ServiceView) -> None:
    public_id = await add_source(store, "<script>alert(1)</script>", url="https://a.example/", tags=('"><img src=x>',))
    await run(store, view, public_id, RunOutcome.FAIL, "<script>alert(2)</script>")
    await change_job(store, public_id, state=JobState.SCHEDULED, failure_count=1, last_outcome="fail")

    text = (await ask("/")).text

    assert "<script>alert" not in text
    assert "<img" not in text
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in text


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("search=QUAY", ["Quay"]),
        ("search=nothing", []),
        ("status=failing", ["Mill"]),
        ("status=attention", ["Mill"]),
        ("status=paused", ["Barn"]),
        ("status=healthy", ["Quay"]),
        ("failures=1", ["Mill"]),
        ("priority=high", ["Barn"]),
        ("kind=job", ["Quay"]),
        ("tag=north", ["Mill"]),
        ("host=quay.example", ["Quay"]),
        ("sort=name&order=desc", ["Quay", "Mill", "Barn"]),
        ("sort=status&order=asc", ["Barn", "Quay", "Mill"]),
        ("offset=50", []),
        ("offset=nonsense&sort=nonsense&span=nonsense&utm_source=x", ["Barn", "Mill", "Quay"]),
    ],
)
async def test_the_list_is_filtered_and_sorted_by_its_address(
    ask: Ask, store: Store, query: str, names: list[str]
) -> None:
    await change_job(store, await add_source(store, "Quay", kind="job"), last_outcome="ok")
    await change_job(store, await add_source(store, "Mill", tags=("north",)), failure_count=2, last_outcome="fail")
    barn = await add_source(store, "Barn", priority=75)
    await change_job(store, barn, state=JobState.PAUSED, pause_reason=PauseReason.USER)

    text = (await part(ask, f"/?{query}", "sources")).text

    shown = [name for name in ("Quay", "Mill", "Barn") if f">{name}</a>" in text]
    assert sorted(shown, key=lambda name: text.index(f">{name}</a>")) == names


async def test_a_part_carries_the_address_of_the_page_that_shows_it(ask: Ask, store: Store) -> None:
    await add_source(store)

    reply = await part(ask, "/?search=quay&status=&priority=&tag=", "sources")

    assert reply.headers["hx-push-url"] == "/?search=quay"
    assert reply.text.lstrip().startswith('<section id="sources"')


async def test_an_unknown_filter_is_told_beside_its_field_and_what_was_typed_stays(ask: Ask, store: Store) -> None:
    await add_source(store)

    text = (await ask("/?status=upside&search=qu%22ay")).text

    assert 'id="filter-status-about"' in text
    assert "status &#39;upside&#39; is unknown" in text
    assert 'value="qu&#34;ay"' in text


async def test_the_cards_count_by_health_and_lead_to_those_counted(ask: Ask, store: Store) -> None:
    await change_job(store, await add_source(store, "Well"), last_outcome="ok")
    await add_source(store, "New")
    await change_job(store, await add_source(store, "Ill"), failure_count=2, last_outcome="fail")

    text = (await part(ask, "/?span=7d", "overview")).text

    assert '<a id="card-failing" href="/?status=failing&amp;span=7d"><strong>1</strong> failing</a>' in text
    assert '<a id="card-healthy" href="/?status=healthy&amp;span=7d"><strong>1</strong> healthy</a>' in text
    assert '<a id="fact-never_run" href="/?status=never_run&amp;span=7d"><strong>1</strong> never run</a>' in text
    assert 'id="span-7d"' in text


async def test_what_needs_attention_is_told_with_its_reason_and_more_than_twelve_are_only_counted(
    ask: Ask, store: Store
) -> None:
    for number in range(14):
        await change_job(store, await add_source(store, f"Ill {number}"), failure_count=3, last_outcome="fail")

    text = (await part(ask, "/", "overview")).text

    assert text.count('id="attention-') - text.count('id="attention-more"') == 12
    assert "Its runs failed 3 times in a row" in text
    assert '<a id="attention-more" href="/?status=attention">and 2 more</a>' in text


async def test_the_curve_says_in_words_what_it_shows(ask: Ask, store: Store, view: ServiceView) -> None:
    await run(store, view, await add_source(store), RunOutcome.FAIL, "no page could be fetched")

    text = (await part(ask, "/", "overview")).text

    assert 'aria-label="Runs of the last 24 h: 1, of which 1 failed"' in text
    assert text.count('class="failed"') == 1


async def test_a_row_is_renewed_by_itself(ask: Ask, store: Store) -> None:
    public_id = await add_source(store)

    reply = await ask(f"/sources/{public_id}/row", hx_request="true")

    assert reply.text.strip().startswith(f'<tr id="row-{public_id}" data-source-row="{public_id}"')
    assert reply.text.strip().endswith("</tr>")


@pytest.mark.parametrize(("source_id", "status"), [("6f2c2f8e-6f0e-4d0c-8d59-3a5c0e0f7a11", 404), ("nonsense", 422)])
async def test_there_is_no_row_of_what_is_not_there(ask: Ask, source_id: str, status: int) -> None:
    assert (await ask(f"/sources/{source_id}/row")).status == status


async def test_the_list_is_turned_page_by_page(ask: Ask, store: Store) -> None:
    for number in range(51):
        await add_source(store, f"S{number:02}")

    first, second = (await ask("/")).text, (await ask("/?offset=50")).text

    assert (first.count("data-source-row"), second.count("data-source-row")) == (50, 1)
    assert 'rel="next" href="/?offset=50"' in first
    assert 'rel="prev" href="/"' in second
    assert "Page 2 of 2" in second


async def test_both_ends_of_a_long_list_are_one_click_away(ask: Ask, store: Store) -> None:
    for number in range(151):
        await add_source(store, f"S{number:03}")

    first, last = (await ask("/")).text, (await ask("/?offset=150")).text

    assert 'rel="last" href="/?offset=150"' in first
    assert 'rel="first"' not in first
    assert 'rel="first" href="/"' in last
    assert 'rel="last"' not in last


async def test_the_demo_can_be_removed_only_while_there_is_one(ask: Ask, store: Store) -> None:
    before = (await ask("/")).text
    await add_source(store, **DEMO)

    assert "Remove the demo" not in before
    assert "Remove the demo" in (await ask("/")).text


async def test_the_demo_is_explained_at_the_first_visit_and_folded_later(ask: Ask, store: Store) -> None:
    await add_source(store, **DEMO)

    first = await ask("/")
    later = await ask("/", cookie=first.headers["set-cookie"].partition(";")[0])

    assert '<details class="card demo" open>' in first.text
    assert '<details class="card demo">' in later.text


async def test_removing_the_demo_leaves_all_other_sources(ask: Ask, store: Store) -> None:
    await add_source(store, "Mine")
    await add_source(store, "Mine too", tags=("demo",))
    await add_source(store, "Fiction", **DEMO)

    reply = await ask("/demo/remove", method="POST", **OWN)
    text = (await ask("/")).text

    assert (reply.status, reply.headers["location"]) == (303, "/")
    assert "Mine" in text
    assert "Mine too" in text
    assert "Fiction" not in text


#: as a browser sends it; without the first, the origin alone ends the mode without a login
CROSS = {"sec_fetch_site": "cross-site", "origin": "http://evil.example"}


@pytest.mark.parametrize("headers", [{}, {"sec_fetch_site": "cross-site"}, CROSS])
async def test_a_foreign_page_cannot_remove_the_demo(ask: Ask, store: Store, headers: dict[str, str]) -> None:
    await add_source(store, **DEMO)

    reply = await ask("/demo/remove", method="POST", **headers)

    assert reply.status == 403
    assert "Remove the demo" in (await ask("/")).text


async def test_the_page_asks_the_database_equally_often_however_many_sources_there_are(ask: Ask, store: Store) -> None:
    async def asked() -> list[str]:
        with statements() as sent:
            await ask("/")
        return sent

    await change_job(store, await add_source(store, "First"), failure_count=2)
    of_one = await asked()
    for number in range(20):
        await change_job(store, await add_source(store, f"Further {number}"), failure_count=2)

    assert len(await asked()) == len(of_one) <= 26


async def test_it_is_said_which_days_of_the_demo_were_made_in_advance(ask: Ask, store: Store) -> None:
    now = store.clock.now()
    stamp, since = Stamp("demo", now), now - timedelta(days=42)
    new = sources.NewSource(url=DEMO["url"], tags=DEMO["tags"])
    await store.db.write(lambda db: sources.add(db, new, stamp=Stamp("demo", since)))
    await store.db.write(lambda db: demo_sources.begin_past(db, since=since, stamp=stamp))
    meanwhile = await part(ask, "/", "demo-past")
    past = await store.db.look(_past)
    await store.db.write(lambda db: demo_sources.end_past(db, past, stamp=stamp))

    page = (await ask("/")).text
    async with store.db.read() as db:
        (source,) = await demo_sources.registered(db)
    of_source = (await ask(f"/sources/{source.public_id}")).text

    assert "first six weeks are being made at this moment" in meanwhile.text
    assert "first six weeks, until " in page
    assert "its first six weeks, until " in of_source


async def _past(db: Any) -> demo_sources.DemoPast:
    past = await demo_sources.past_of(db, await demo_sources.registered(db))
    assert past is not None
    return past
