"""Records: what the search shows, and where it leads."""

import csv
import io
import re
import threading
from datetime import date, timedelta
from html import unescape

import pytest
import sqlalchemy as sa

from lamplighter.app import Store
from lamplighter.model.record import RecordKind
from lamplighter.rules.pages import text_diff
from lamplighter.rules.pages.text_diff import DiffPiece
from lamplighter.store.records import record_changes
from lamplighter.store.schema import tables
from lamplighter.web.dashboard.records import record_page
from lamplighter.web.view import ServiceView
from tests.store.given_rows import write
from tests.store.records.given_records import posting
from tests.web.api.given_records import stored
from tests.web.asgi_client import Ask
from tests.web.dashboard.sources.given_changes import a_record, a_source, changed
from tests.web.forms import send_form

EVIL = "<script>alert(1)</script>"
JOBS = (
    posting(1, title="Water engineer", organisation="Relief", country_iso="KE", fields={"level_norm": "senior"}),
    posting(2, title="Writer", description="Writes about water & wells.", country_iso="CH"),
)
LAMP = posting(3, kind=RecordKind.PRODUCT, title="Lamp", fields={"price": 19.9, "currency": "EUR", "brand": "Lux"})


async def _some(store: Store) -> list[str]:
    await stored(store, JOBS)
    await stored(store, [LAMP], source="b")
    async with store.db.read() as db:
        return list(await db.scalars(tables.records.select().with_only_columns(tables.records.c.public_id)))


async def _changed(store: Store, record_id: int, *, before: str, after: str, ago: timedelta = timedelta(0)) -> None:
    line = {"record_id": record_id, "run_id": 1, "page_id": 2, "at": store.clock.now() - ago}
    said = {"field": "description", "before": before, "after": after}
    await write(store.db, record_changes.write, [line | said])


def _titles(page: str) -> list[str]:
    cells = re.findall(r'<td class="title"><a href="[^"]*" data-open>(.*?)</a>', page)
    return [unescape(re.sub("<[^>]+>", "", cell)) for cell in cells]


async def test_an_installation_without_records_says_where_they_come_from(ask: Ask) -> None:
    text = (await ask("/records")).text

    assert "No records yet." in text
    assert 'href="/sources/add"' in text


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        pytest.param("", ["Lamp", "Writer", "Water engineer"], id="everything, the newest first"),
        pytest.param("q=wat", ["Water engineer", "Writer"], id="a word that is still being typed"),
        pytest.param("q=%22wat%22", [], id="a word in quotes"),
        pytest.param("kind=job&country=KE", ["Water engineer"], id="two facets"),
        pytest.param("sort=title", ["Lamp", "Water engineer", "Writer"], id="by title"),
        pytest.param("since=changed_week", ["Writer"], id="what changed"),
        pytest.param("state=gone", [], id="what is gone"),
        pytest.param("kind=&country=&unknown=1", ["Lamp", "Writer", "Water engineer"], id="a form sent as it is"),
    ],
)
async def test_a_search_shows_what_it_asks_for(ask: Ask, store: Store, query: str, titles: list[str]) -> None:
    await _some(store)
    await _changed(store, 1, before="a", after="b", ago=timedelta(days=8))
    await _changed(store, 2, before="a", after="b", ago=timedelta(days=6))

    reply = await ask(f"/records?{query}")

    assert reply.status == 200
    assert sorted(_titles(reply.text)) == sorted(titles)


async def test_every_kind_has_columns_of_its_own(ask: Ask, store: Store) -> None:
    await _some(store)

    products, jobs = (await ask("/records?kind=product")).text, (await ask("/records?kind=job")).text

    assert "<th>Price</th>" in products
    assert "19.90 EUR" in products
    assert "<th>Deadline</th>" in jobs
    assert "<th>Price</th>" not in jobs


async def test_of_several_kinds_each_record_says_what_matters_of_it(ask: Ask, store: Store) -> None:
    story = posting(4, kind=RecordKind.ARTICLE, title="Flood", published_at=store.clock.now() - timedelta(days=3))
    await stored(store, [posting(1, title="Pilot", deadline=date(2027, 5, 3)), LAMP, story])

    text = (await ask("/records")).text

    cells = re.findall(r'data-label="Price or date">(.*?)</td>', text)
    assert sorted(re.sub("<[^>]+>", "", cell) for cell in cells) == ["19.90 EUR", "3 d ago", "until 2027-05-03"]


async def test_a_list_of_one_kind_has_its_columns_whether_or_not_it_was_asked_for(ask: Ask, store: Store) -> None:
    await stored(store, [LAMP])

    text = (await ask("/records")).text

    assert "<th>Price</th>" in text
    assert "<th>Organisation</th>" not in text


async def test_a_facet_counts_and_leads_to_the_narrower_search(ask: Ask, store: Store) -> None:
    await _some(store)

    text = (await ask("/records?q=water")).text

    assert re.search(r'href="/records\?q=water&amp;country=KE"[^>]*>KE</a>\s*<span class="count">1</span>', text)


async def test_an_export_holds_the_records_that_are_shown(ask: Ask, store: Store) -> None:
    await _some(store)
    await _changed(store, 2, before="a", after="b")
    page = (await ask("/records?q=wat&kind=job&since=changed_day")).text
    link = re.search(r'href="(/api/v1/records/export\?[^"]*format=csv)"', page)
    assert link

    exported = await ask(unescape(link[1]))

    rows = list(csv.DictReader(io.StringIO(exported.text)))
    assert [row["title"] for row in rows] == _titles(page) == ["Writer"]


async def test_feeds_of_the_same_search_are_offered(ask: Ask, store: Store) -> None:
    await _some(store)
    page = (await ask("/records?q=lamp")).text
    links = re.findall(r'href="(/api/v1/records/feed[^"]*)"', page)

    feeds = [await ask(unescape(link)) for link in links]

    assert [feed.headers["content-type"].split(";")[0] for feed in feeds] == [
        "application/rss+xml",
        "application/feed+json",
    ]
    assert all("Lamp" in feed.text and "Writer" not in feed.text for feed in feeds)


async def test_what_sites_say_is_text_in_the_list_the_finds_and_the_record(ask: Ask, store: Store) -> None:
    await stored(
        store,
        [posting(1, title=f"{EVIL} pilot", organisation=EVIL, description=f"{EVIL} harbour", fields={"salary": EVIL})],
    )
    await _changed(store, 1, before=EVIL, after=f"{EVIL} pilot")
    async with store.db.read() as db:
        (public_id,) = await db.scalars(tables.records.select().with_only_columns(tables.records.c.public_id))

    pages = [(await ask(path)).text for path in ("/records?q=pilot", f"/records/{public_id}")]

    assert all("<script>alert" not in page and "&lt;script&gt;alert(1)" in page for page in pages)
    assert "<mark>pilot</mark>" in pages[0]


async def test_a_script_gets_the_results_alone_and_the_address_to_show(ask: Ask, store: Store) -> None:
    await _some(store)

    reply = await ask("/records?q=lamp&kind=&since=", hx_request="true", hx_target="found")

    assert reply.headers["hx-push-url"] == "/records?q=lamp"
    assert reply.text.lstrip().startswith('<div id="found">')


async def test_a_search_that_cannot_be_read_says_what_in_it(ask: Ask, store: Store) -> None:
    await _some(store)

    reply = await ask("/records?country=Kenya&q=water")

    assert reply.status == 422
    assert "country:" in reply.text
    assert 'value="water"' in reply.text


async def test_a_record_tells_how_each_value_was_found_and_what_the_site_said(ask: Ask, store: Store) -> None:
    record = posting(
        1,
        location_raw="Nairobi, Kenya",
        country_iso="KE",
        provenance={"title": ("jsonld", 0.9), "country_iso": ("labels", 0.56)},
    )
    await stored(store, [record])

    text = re.sub("[ \n]+", " ", (await ask(f"/records/{1:064}")).text)

    assert "JSON-LD in the page" in text
    assert "90\u202f%" in text
    assert re.search(
        r"country</th> <td>KE</td> <td>Nairobi, Kenya</td> <td>labels on the page</td> <td[^>]*>56\u202f%", text
    )


async def test_only_the_words_that_changed_are_marked(ask: Ask, store: Store) -> None:
    await stored(store, [posting(1)])
    await _changed(store, 1, before="Pay is low here", after="Pay is good here")

    text = (await ask(f"/records/{1:064}")).text

    assert "Pay is <del>low</del><ins>good</ins> here" in text


async def test_records_that_say_the_same_are_shown_beside(ask: Ask, store: Store) -> None:
    await stored(store, [posting(1, title="Night pilot"), posting(2, title="Night pilot"), posting(3, title="Pilot")])

    text = (await ask(f"/records/{1:064}")).text

    assert len(re.findall(r'<li><a href="/records/[^"]+">Night pilot</a>', text)) == 1


async def test_a_record_that_is_gone_says_since_when_and_why(ask: Ask, store: Store) -> None:
    await stored(store, [posting(1)])
    gone = sa.update(tables.records).values(gone_at=store.clock.now())
    await store.db.write(lambda db: db.execute(gone))

    listed, shown = (await ask("/records?state=gone")).text, (await ask(f"/records/{1:064}")).text

    assert '<span class="badge idle">gone</span>' in listed
    assert "two complete runs in a row did not find it" in shown


@pytest.mark.parametrize("path", ["/records/1", "/records/00000000-0000-4000-8000-000000000000"])
async def test_a_record_that_is_not_there_is_not_found(ask: Ask, path: str) -> None:
    assert (await ask(path)).status == 404


async def test_a_record_is_removed_for_a_reason_after_a_question(ask: Ask, store: Store) -> None:
    await stored(store, [posting(1, title="Harbour pilot")])
    path = f"/records/{1:064}/remove"

    unsaid = await send_form(ask, path)
    asked = await send_form(ask, path, reason="they asked us to")
    before = await ask(f"/records/{1:064}")
    done = await send_form(ask, path, reason="they asked us to", confirmed="1")
    after = await ask(done.headers["location"])

    assert (unsaid.status, "Enter a reason" in unsaid.text) == (422, True)
    assert "Remove “Harbour pilot” with its history" in asked.text
    assert "present" in before.text
    assert done.status == 303
    assert "they asked us to" in after.text
    assert "Allow storing it again" in after.text


async def test_a_removed_record_can_be_let_back_in(ask: Ask, store: Store) -> None:
    await stored(store, [posting(1)])
    await send_form(ask, f"/records/{1:064}/remove", reason="wrong", confirmed="1")

    done = await send_form(ask, f"/records/{1:064}/restore")

    assert done.status == 303
    assert (await ask(f"/records/{1:064}")).status == 404


async def test_of_a_long_history_the_newest_is_shown_and_the_rest_counted(ask: Ask, store: Store) -> None:
    await stored(store, [posting(1)])
    for number in range(60):
        await _changed(store, 1, before=f"said {number}", after=f"said {number + 1}")

    text = (await ask(f"/records/{1:064}")).text

    assert "<ins>60</ins>" in text
    assert "<ins>11</ins>" in text
    assert "<ins>10</ins>" not in text
    assert "and 10 earlier" in text


async def test_others_are_answered_while_a_history_is_compared(
    ask: Ask, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stored(store, [posting(1)])
    await _changed(store, 1, before="a", after="b")
    threads = []

    def by_words(before: str, after: str, *, most_pairs: int) -> list[DiffPiece]:
        threads.append(threading.current_thread())
        return text_diff.by_words(before, after, most_pairs=most_pairs)

    monkeypatch.setattr(record_page, "by_words", by_words)
    await ask(f"/records/{1:064}")

    assert threads
    assert threading.current_thread() not in threads


async def test_long_values_of_a_history_are_compared_coarsely(ask: Ask, store: Store) -> None:
    await stored(store, [posting(1)])
    await _changed(store, 1, before=f"x {'lamp ' * 100} y", after=f"y {'lamp ' * 100} x")

    before, _, history = (await ask(f"/records/{1:064}")).text.partition("<h2>History</h2>")

    assert before.count("<del>") == history.count("<del>") == 1


async def test_a_record_is_shown_at_any_of_its_versions(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    record = await a_record(store, source, title="Kettle")
    for before, after in ((20.0, 15.0), (15.0, 18.0)):
        await changed(store, record, **{"fields.price": (before, after)})

    last = (await ask(f"/records/{record.public_id}")).text
    first = (await ask(f"/records/{record.public_id}?version=0")).text
    part = (await ask(f"/records/{record.public_id}?version=1", hx_request="true", hx_target="over-time")).text

    assert "Version 3 of 3" in last
    assert "▲ +20.0\u202f%" in last
    assert '<strong>price</strong> <span class="number">20.00</span> <small>15.00 to 20.00</small>' in first
    assert part.startswith('<div id="over-time"')
    assert "▼ −25.0\u202f%" in part
    assert "<html" not in part


@pytest.mark.parametrize("version", ["99", "x", "-1"])
async def test_a_version_that_there_is_not_is_the_nearest(
    ask: Ask, store: Store, view: ServiceView, version: str
) -> None:
    record = await a_record(store, await a_source(store, view), title="Kettle")
    await changed(store, record, title=("Kettle", "Copper kettle"))

    answer = await ask(f"/records/{record.public_id}?version={version}")

    assert answer.status == 200
    assert "of 2, since" in answer.text
