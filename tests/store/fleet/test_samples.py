"""Samples: one for every five minutes, and their averages."""

from datetime import timedelta

from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import samples
from lamplighter.store.fleet.samples import STEP, Sample
from tests.moments import NOON
from tests.store.given_rows import HOUR, write

FIRST = NOON.replace(microsecond=0)


def _sample(to_fetch: int, *, measured: float | None = None) -> Sample:
    return Sample(
        to_fetch=to_fetch,
        to_parse=0,
        due=1,
        expected_staleness=None,
        measured_staleness=measured,
        budget_per_hour=None,
    )


async def test_a_step_keeps_its_first_sample(db: Database) -> None:
    await write(db, samples.write, _sample(4), now=NOON)
    await write(db, samples.write, _sample(9), now=NOON + STEP - timedelta(seconds=1))

    assert await write(db, samples.by_span, since=NOON, span=STEP) == {FIRST: _sample(4)}


async def test_a_span_has_the_average_of_what_is_known(db: Database) -> None:
    await write(db, samples.write, _sample(4), now=NOON)
    await write(db, samples.write, _sample(8, measured=0.5), now=NOON + STEP)
    await write(db, samples.write, _sample(1), now=NOON + HOUR)

    found = await write(db, samples.by_span, since=NOON, span=HOUR)

    assert found == {FIRST: _sample(6, measured=0.5), FIRST + HOUR: _sample(1)}
