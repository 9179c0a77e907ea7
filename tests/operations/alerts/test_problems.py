"""Problems by cause, with when they began and where sources moved, and who hid them; on both databases."""

import pytest

from lamplighter.errors import NotFound
from lamplighter.model.access import Stamp
from lamplighter.model.alert import ProblemKind
from lamplighter.model.crawl import RunAdvice, RunOutcome
from lamplighter.model.reading import PageRole
from lamplighter.operations.alerts import problems
from lamplighter.rules.alerts.problems import Remedy
from lamplighter.store.engine.database import Database
from lamplighter.store.sources import sources
from tests.moments import NOON
from tests.store.given_rows import some_pages, write
from tests.web.given_problems import BAD, FAILING, HOUR, a_troubled_source

STAMP = Stamp("mara", NOON)


async def test_a_problem_began_with_the_first_bad_run_after_the_last_good_one(db: Database) -> None:
    for name in ("a", "b"):
        await write(db, a_troubled_source, name, BAD, now=NOON, **FAILING)
    drift = "extractor may be broken: no records shown where 40 are usual"
    await write(db, a_troubled_source, "c", drift, outcome=RunOutcome.WARN, drifted=True, now=NOON)

    found = await write(db, problems.inbox, limit=9, offset=0, now=NOON)

    assert [(view.problem.kind, len(view.problem.sources)) for view in found.problems] == [
        (ProblemKind.HOST, 2),
        (ProblemKind.DRIFT, 1),
    ]
    for view in found.problems:
        assert view.since == NOON - HOUR
        assert view.turn is not None
        assert view.turn.last_good is not None
        assert view.turn.last_good.started_at == NOON - 2 * HOUR
        assert view.page_turn is None


async def test_sources_that_moved_to_one_host_are_one_problem_and_know_their_new_addresses(db: Database) -> None:
    for name in ("a", "b"):
        public_id = await write(
            db, a_troubled_source, name, "1 page", outcome=RunOutcome.OK, now=NOON, last_advice=RunAdvice.MOVED
        )
        source = await write(db, sources.by_public_id, public_id)
        assert source is not None
        moved = {"role": PageRole.SEED, "hops": 0, "status": 301, "redirected_to": f"https://new.example/{name}"}
        await write(db, some_pages, source.id, None, f"/{name}", **moved)

    found = await write(db, problems.inbox, limit=9, offset=0, now=NOON)

    (view,) = found.problems
    assert view.problem.title == "2 sources of quay.example moved for good to new.example"
    assert {each.moved_to for each in view.problem.sources} == {"https://new.example/a", "https://new.example/b"}
    assert view.problem.remedies == (Remedy.FOLLOW, Remedy.PAUSE)


async def test_a_snooze_lasts_a_week_and_is_ended_once(db: Database) -> None:
    await write(db, a_troubled_source, "a", BAD, now=NOON, **FAILING)
    (view,) = (await write(db, problems.inbox, limit=9, offset=0, now=NOON)).problems
    key = view.problem.key

    await write(db, problems.snooze, key, stamp=STAMP)
    await write(db, problems.snooze, key, stamp=STAMP)
    hidden = await write(db, problems.inbox, limit=9, offset=0, now=NOON)
    later = await write(db, problems.inbox, limit=9, offset=0, now=NOON + problems.SNOOZE)
    await write(db, problems.wake, key, stamp=STAMP)

    assert (list(hidden.problems), [each.snoozed_by for each in hidden.snoozes]) == ([], ["mara"])
    assert [each.problem.key for each in later.problems] == [key]
    assert list(later.snoozes) == []
    with pytest.raises(NotFound, match="not snoozed"):
        await write(db, problems.wake, key, stamp=STAMP)
