"""The end of a run: what it changed is one change set, and the stream shows it."""

from datetime import timedelta
from typing import Any

import pytest

from lamplighter.crawl.fleet.pruning import CHANGE_SETS_KEPT, Pruning, RetentionLimits
from lamplighter.model.record_search import ChangeFilter, ChangeKind
from lamplighter.operations.records import change_stream
from lamplighter.operations.records.change_stream import ShownSet
from lamplighter.store.engine.database import Database
from lamplighter.store.records import presence
from lamplighter.store.schema import tables
from tests.crawl.runs.runs_without_site import Site, read
from tests.store.given_rows import write
from tests.store.records.given_records import posting


async def _stream(site: Site, **wanted: Any) -> list[ShownSet]:
    async with site.db.read() as db:
        return await change_stream.page(db, ChangeFilter(**wanted), reader="test", limit=50, records=5)


def _counts(sets: list[ShownSet]) -> list[tuple[int, ...]]:
    return [tuple(each.change_set.counts) for each in sets]


async def _lived_through(db: Database) -> Site:
    """A source with four postings; then one changes, one goes, and it comes back."""
    site = Site(db)
    four = [posting(number) for number in range(4)]
    renamed = [*four[:2], posting(2, title="Posting two", content_hash="v2")]
    await site.run({"/": read(four)})
    await site.run({"/": read(renamed, text="one renamed, one missing")})
    await site.run({"/": read(renamed, text="one missing again")})
    await site.run({"/": read([*renamed, four[3]], text="it is back")})
    await site.run({"/": read([*renamed, four[3]], text="only the text around differs")})
    return site


async def test_each_run_that_changed_something_is_one_set(db: Database) -> None:
    site = await _lived_through(db)

    sets = await _stream(site)

    assert _counts(sets) == [(0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (4, 0, 0, 0)]
    assert [each.change_set.is_baseline for each in sets] == [False, False, False, True]
    kinds = [[record.kind for record in each.records] for each in sets]
    assert kinds == [[ChangeKind.BACK], [ChangeKind.GONE], [ChangeKind.CHANGED], [ChangeKind.NEW] * 4]
    (changed,) = sets[2].records
    assert [tuple(each) for each in changed.fields] == [("title", "Posting 2", "Posting two")]


@pytest.mark.parametrize(
    ("wanted", "runs"),
    [
        pytest.param({"kind": ChangeKind.GONE}, [3], id="by what became of them"),
        pytest.param({"terms": change_stream.terms_of("two")}, [2, 1], id="by words of a record that changed"),
        pytest.param({"terms": change_stream.terms_of("no such, TWO")}, [2, 1], id="by one of several words"),
        pytest.param(
            {"terms": change_stream.terms_of("posting 3"), "kind": ChangeKind.NEW}, [1], id="by words of a new one"
        ),
        pytest.param({"tag": "harbour"}, [], id="by a tag that the source does not have"),
    ],
)
async def test_a_view_shows_the_sets_that_match(db: Database, wanted: dict[str, Any], runs: list[int]) -> None:
    site = await _lived_through(db)

    assert [each.change_set.run_number for each in await _stream(site, **wanted)] == runs


async def test_words_choose_among_the_records_of_a_set(db: Database) -> None:
    site = await _lived_through(db)

    *_, first = await _stream(site, terms=change_stream.terms_of("posting 3"))

    assert [record.title for record in first.records] == ["Posting 3"]
    assert first.more is None


async def test_records_that_expire_are_a_set_without_a_run(db: Database) -> None:
    site = Site(db)
    soon = site.clock.now() + timedelta(hours=7)
    await site.run({"/": read([posting(1, expires_at=soon), posting(2)])})
    site.clock.at += timedelta(hours=2)

    await write(db, presence.expire, now=site.clock.now())

    newest = (await _stream(site))[0]
    assert newest.change_set.run_id is None
    assert [(record.kind, record.title) for record in newest.records] == [(ChangeKind.GONE, "Posting 1")]


async def test_old_sets_are_forgotten_and_the_history_of_records_stays(db: Database) -> None:
    site = await _lived_through(db)
    site.clock.at += CHANGE_SETS_KEPT + timedelta(days=1)

    await Pruning(db, clock=site.clock, kept=RetentionLimits()).sweep()

    assert await _stream(site) == []
    assert len(await site.rows(tables.record_changes)) == 3
