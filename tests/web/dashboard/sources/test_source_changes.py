"""What a source has brought: changes as a readable difference, records, versions of its pages."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from lamplighter.app import Store
from lamplighter.model.crawl import RunOutcome, Trigger
from lamplighter.rules.pages import page_text, text_diff
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import archived_pages
from lamplighter.store.runs import crawl_runs
from lamplighter.store.schema.tables import crawl_jobs
from lamplighter.store.sources import source_changes as stored_finds
from lamplighter.web import page_ids
from lamplighter.web.dashboard.sources import source_changes
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask
from tests.web.dashboard.sources.given_changes import a_page_that_was, a_record, a_run, a_source, changed

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
OLD = b"<html><head><title>Jobs</title></head><body><h1>Jobs</h1><p>Lit at dusk.</p></body></html>"
NEW = b"<html><head><title>Jobs</title></head><body><h1>Jobs</h1><p>Lit at dawn.</p></body></html>"


def threads_of(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> set[threading.Thread]:
    """The threads in which a function is called from now on."""
    threads: set[threading.Thread] = set()
    real: Callable[..., Any] = getattr(module, name)

    def noting(*given: Any, **named: Any) -> Any:
        threads.add(threading.current_thread())
        return real(*given, **named)

    monkeypatch.setattr(module, name, noting)
    return threads


async def test_a_source_without_changes_says_what_will_stand_there(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)

    text = (await ask(f"/sources/{source.public_id}/changes")).text

    assert "No record of this source has changed yet." in text


async def test_a_change_is_marked_word_by_word_with_its_run(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    run_id = await a_run(store, view, source)
    await changed(store, await a_record(store, source), run_id, title=("Harbour pilot", "Harbour master"))

    text = (await ask(f"/sources/{source.public_id}/changes")).text

    assert "Harbour <del>pilot</del><ins>master</ins>" in text
    assert ">run 1</a>" in text
    assert "<strong>1</strong>changed" in text


async def test_a_source_with_very_many_records_and_pages_says_what_was_looked_at(
    ask: Ask, store: Store, view: ServiceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = await a_source(store, view)
    run_id = await a_run(store, view, source)
    await changed(store, await a_record(store, source), run_id, title=("Harbour pilot", "Harbour master"))
    monkeypatch.setattr(stored_finds, "MOST_RECORDS", 0)
    monkeypatch.setattr(archived_pages, "MOST_PAGES", 0)

    changes = (await ask(f"/sources/{source.public_id}/changes")).text
    versions = (await ask(f"/sources/{source.public_id}/versions")).text

    assert "changes of all sources are shown" in changes
    assert "Harbour <del>pilot</del>" in changes
    assert "whose latest version is among the last" in versions


@pytest.mark.parametrize("tab", ["changes", "records", "versions", "trials"])
async def test_news_of_a_source_renews_the_head_above_what_does_not_live(
    ask: Ask, store: Store, view: ServiceView, tab: str
) -> None:
    path = f"/sources/{(await a_source(store, view)).public_id}"

    text = (await ask(f"{path}/{tab}")).text
    renewed = await ask(f"{path}/head?tab={path}/{tab}", hx_request="true", hx_target="source-view")

    assert f'hx-get="{path}/head?tab={path}/{tab}" hx-trigger="lamp:panel' in text
    assert 'hx-select-oob="#source-health,#source-acts"' in text
    assert 'id="source-health"' in renewed.text
    assert f'name="back" value="{path}/{tab}"' in renewed.text
    assert "source-content" not in renewed.text


@pytest.mark.parametrize("tab", ["", "/runs"])
async def test_what_lives_is_asked_for_again_with_news(ask: Ask, store: Store, view: ServiceView, tab: str) -> None:
    path = f"/sources/{(await a_source(store, view)).public_id}{tab}"

    text = (await ask(path)).text

    assert f'hx-get="{path}" hx-trigger="lamp:panel' in text
    assert ",#source-live" in text


async def test_a_head_alone_is_no_page(ask: Ask, store: Store, view: ServiceView) -> None:
    path = f"/sources/{(await a_source(store, view)).public_id}"

    reply = await ask(f"{path}/head")

    assert (reply.status, reply.headers["location"]) == (303, path)


async def test_more_changes_than_are_counted_are_called_more(
    ask: Ask, store: Store, view: ServiceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = await a_source(store, view)
    await changed(store, await a_record(store, source), title=("Harbour pilot", "Harbour master"))
    monkeypatch.setattr(source_changes, "MOST_COUNTED", 0)

    text = (await ask(f"/sources/{source.public_id}/changes")).text

    assert "<strong>0+</strong>changed" in text


@pytest.mark.parametrize(
    ("view_name", "shown"),
    [
        pytest.param("words", "<del>dusk</del><ins>dawn</ins>", id="words"),
        pytest.param("lines", "<del>Lit at dusk</del>", id="lines"),
        pytest.param("sides", '<td class="half gone">Lit at <del>dusk</del></td>', id="side by side"),
        pytest.param("upside-down", "<del>dusk</del><ins>dawn</ins>", id="a view that there is not"),
    ],
)
async def test_a_difference_is_shown_as_somebody_chose(
    ask: Ask, store: Store, view: ServiceView, view_name: str, shown: str
) -> None:
    source = await a_source(store, view)
    await changed(store, await a_record(store, source), description=("Lit at dusk\nby hand", "Lit at dawn\nby hand"))

    text = (await ask(f"/sources/{source.public_id}/changes?view={view_name}")).text

    assert shown in text


async def test_a_record_that_is_gone_is_called_so(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await changed(store, await a_record(store, source), state=("present", "gone"))

    text = (await ask(f"/sources/{source.public_id}/changes")).text

    assert '<span class="badge bad">gone</span>' in text
    assert "Two complete runs in a row did not find it" in text


async def test_the_changes_of_one_run_are_shown_alone(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await changed(store, await a_record(store, source), None, title=("one", "two"))

    of_another = await ask(f"/sources/{source.public_id}/changes?run={uuid4()}")

    assert of_another.status == 404


async def test_records_are_listed_the_newest_first(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await a_record(store, source)
    newest = await a_record(store, source, canonical_hash="c", title="Lighthouse keeper", url="https://example.org/2")

    text = (await ask(f"/sources/{source.public_id}/records")).text

    assert text.index("Lighthouse keeper") < text.index("Harbour pilot")
    assert f'href="/records/{newest.public_id}"' in text


async def test_records_have_the_columns_of_what_they_are(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await a_record(store, source, kind="product", fields={"brand": "Kettle & Co", "price": 18.5, "currency": "EUR"})

    text = (await ask(f"/sources/{source.public_id}/records")).text

    assert "<th>Price</th>" in text
    assert "18.50 EUR" in text
    assert "<th>Deadline</th>" not in text


async def test_records_are_searched(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    await a_record(store, source)

    found = (await ask(f"/sources/{source.public_id}/records?search=pilot")).text
    missed = (await ask(f"/sources/{source.public_id}/records?search=baker")).text

    assert "Harbour pilot" in found
    assert "No record of this source matches." in missed


async def test_what_a_site_says_is_never_markup(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    record = await a_record(store, source, title=EVIL, organisation=EVIL)
    await changed(store, record, title=("x", EVIL), description=(EVIL, "y"))
    page_id = await a_page_that_was(store, view, source, OLD, f"<body><p>{EVIL}".encode())

    for path in (
        "changes",
        "changes?view=sides",
        "records",
        f"versions/{page_id}/2?side=source",
        f"versions/{page_id}/compare?side=source&view=lines",
        f"versions/{page_id}/compare?side=source&view=sides",
    ):
        text = (await ask(f"/sources/{source.public_id}/{path}")).text
        assert "<script>" not in text, path
        assert "<img" not in text, path
        assert "&lt;script&gt;" in text, path


async def test_pages_with_versions_are_listed(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, OLD, NEW)

    text = (await ask(f"/sources/{source.public_id}/versions")).text

    assert f"/sources/{source.public_id}/versions/{page_id}/compare" in text
    assert "https://example.org/jobs" in text


async def test_the_slider_of_a_page_has_charts_of_its_size_and_of_the_records_and_the_page_leads_there(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, OLD, NEW + b"<p>More." * 200, NEW)
    path = f"/sources/{source.public_id}/versions/{page_id}"
    now = store.clock.now()

    async def two_runs(db: Connection) -> None:
        job = await db.scalar(sa.select(crawl_jobs.c.id))
        for number, records in ((1, 40), (2, 7)):
            began = now + timedelta(hours=number - 2)
            new = {"job_id": job, "source_id": source.id, "number": number, "trigger": Trigger.SCHEDULE, "now": began}
            run = await crawl_runs.add(db, deadline_at=began, page_budget=9, **new)
            await crawl_runs.close(
                db, run, now=began, outcome=RunOutcome.OK, message="", records_shown=records, has_drifted=False
            )

    await store.db.write(two_runs)
    newest, before = (await ask(path)).text, (await ask(f"{path}?at=1")).text

    assert 'aria-label="records of the source: 7 to 40"' in newest
    assert 'aria-label="size: 90 B to 1.69 KB"' in newest
    assert '<strong>size</strong> <span class="number">1.69 KB</span>' in before
    number = page_ids.number_of(page_id)
    assert f'href="/pages/{number}"' in newest
    assert f'href="{path}"' in (await ask(f"/pages/{number}")).text


async def test_two_versions_are_compared_without_their_tags(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, OLD, NEW)

    text = (await ask(f"/sources/{source.public_id}/versions/{page_id}/compare")).text

    assert "Lit at <del>dusk</del><ins>dawn</ins>." in text
    assert "&lt;p&gt;" not in text


async def test_each_version_says_what_it_changed(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, b"<p>Lit at noon.</p>", OLD, NEW)
    path = f"/sources/{source.public_id}/versions/{page_id}"

    latest, second, too_early = [(await ask(f"{path}{query}")).text for query in ("", "?at=1", "?at=0")]

    assert "Lit at <del>dusk</del><ins>dawn</ins>." in latest
    assert 'min="1" max="2" value="2"' in latest
    assert "noon" in second
    assert "noon" in too_early
    assert "noon" not in latest
    assert "dawn" not in second


async def test_a_page_with_one_version_has_no_slider(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, OLD)

    text = (await ask(f"/sources/{source.public_id}/versions/{page_id}")).text

    assert 'type="range"' not in text


async def test_space_is_ignored_when_asked(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, b"<p>a\n\n  b</p>", b"<p>a\nb</p>")
    path = f"/sources/{source.public_id}/versions/{page_id}/compare?side=source"

    plain, ignoring = (await ask(path)).text, (await ask(f"{path}&space=ignore")).text

    assert "<del>" in plain or "<ins>" in plain
    assert "No difference" in ignoring


async def test_a_version_is_saved_and_never_shown_as_the_page_it_was(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, OLD)

    shown = await ask(f"/sources/{source.public_id}/versions/{page_id}/1?side=source")
    saved = await ask(f"/sources/{source.public_id}/versions/{page_id}/1/download")

    assert "&lt;h1&gt;Jobs&lt;/h1&gt;" in shown.text
    assert "Content-Type: text/html" in shown.text
    assert saved.text == OLD.decode()
    assert saved.headers["content-type"].startswith("text/plain")
    assert saved.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in saved.headers["content-security-policy"]


async def test_what_is_no_text_can_only_be_saved(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, b"\x00\x01\x02")

    assert "This version is not text." in (await ask(f"/sources/{source.public_id}/versions/{page_id}/1")).text


async def test_a_page_of_another_source_is_not_shown_here(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    other = await a_source(store, view, url="https://other.example/")
    page_id = await a_page_that_was(store, view, other, OLD)

    for path in (f"{page_id}", f"{page_id}/1", f"{page_id}/compare", f"{page_id}/9", f"{page_ids.shown(999)}"):
        assert (await ask(f"/sources/{source.public_id}/versions/{path}")).status == 404


@pytest.mark.parametrize("view_name", ["changes", "records", "versions", "trials"])
async def test_a_source_that_there_is_not_has_no_pages(ask: Ask, view_name: str) -> None:
    assert (await ask(f"/sources/{uuid4()}/{view_name}")).status == 404


async def test_others_are_answered_while_values_are_compared(
    ask: Ask, store: Store, view: ServiceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = await a_source(store, view)
    await changed(store, await a_record(store, source), title=("Harbour pilot", "Harbour master"))
    threads = threads_of(monkeypatch, text_diff, "by_words")

    await ask(f"/sources/{source.public_id}/changes")

    assert threads
    assert threading.current_thread() not in threads


async def test_others_are_answered_while_a_version_is_read(
    ask: Ask, store: Store, view: ServiceView, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = await a_source(store, view)
    page_id = await a_page_that_was(store, view, source, OLD)
    threads = threads_of(monkeypatch, page_text, "readable")

    await ask(f"/sources/{source.public_id}/versions/{page_id}/1")

    assert threads
    assert threading.current_thread() not in threads


async def test_a_value_of_very_many_lines_is_shown_in_part(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    before, after = ("\n".join(f"{word} {number}" for number in range(1_200)) for word in ("dusk", "dawn"))
    await changed(store, await a_record(store, source), description=(before, after))

    text = (await ask(f"/sources/{source.public_id}/changes?view=lines")).text

    assert "200 more rows are not shown." in text


async def test_values_of_a_change_are_compared_with_less_work_than_versions(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await a_source(store, view)
    before, after = f"x {'lamp ' * 100} y", f"y {'lamp ' * 100} x"
    await changed(store, await a_record(store, source), description=(before, after))

    text = (await ask(f"/sources/{source.public_id}/changes")).text

    assert text.count("<del>") == 1
