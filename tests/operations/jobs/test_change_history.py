"""When our own sources changed, as far as our visits tell."""

from datetime import timedelta

from lamplighter.operations.jobs import policy_comparison
from lamplighter.store.engine.database import Database
from tests.moments import NOON
from tests.operations.jobs.visited import visited
from tests.store.given_rows import HOUR, write


async def test_a_change_lies_in_the_middle_between_the_visits_around_it(db: Database) -> None:
    await write(db, visited, "a", (0, False), (4, True), (8, False), (10, True))
    await write(db, visited, "quiet", (0, False), (9, False))
    await write(db, visited, "new", (1, False))

    found = await write(db, policy_comparison.histories, now=NOON + timedelta(days=1))

    assert {history.source: list(history.changed_at) for history in found} == {
        "https://a.example/": [NOON + 2 * HOUR, NOON + 9 * HOUR],
        "https://quiet.example/": [],
    }
    # They are known from the first visit to the last.
    assert [(each.born_at, each.died_at, each.visits) for each in found] == [
        (NOON, NOON + 10 * HOUR, 4),
        (NOON, NOON + 9 * HOUR, 2),
    ]
