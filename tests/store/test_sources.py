"""Sources as they are read and written: with parsed values, and whatever stands in one row, the others are read."""

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.model.record import RecordKind
from lamplighter.model.schedule import OrganisationType, PolicyName
from lamplighter.model.source import Source, SourceOptions
from lamplighter.rules.schedule import window_text
from lamplighter.store.engine.database import Database
from lamplighter.store.schema import tables
from lamplighter.store.sources import sources
from tests.moments import NOON
from tests.store.given_rows import HOUR, a_source, write

OPTIONS = SourceOptions(
    url="https://quay.example/jobs",
    name="Quay",
    kind=RecordKind.JOB,
    recipe={"items": "li"},
    max_depth=2,
    max_pages=7,
    policy=PolicyName.FIXED,
    interval=6 * HOUR,
    min_interval=HOUR,
    max_interval=48 * HOUR,
    windows=window_text.parse("mon-fri 22:00-05:00 Europe/Berlin; deny sat"),
    country="DE",
    organisation_type=OrganisationType.NGO,
    recurring=False,
    priority=80,
    enabled=False,
    min_delay=timedelta(milliseconds=400),
)


async def _get(db: Database, source_id: int) -> Source:
    source = await write(db, sources.get, source_id)
    assert isinstance(source, Source)
    return source


async def _spoil(db: Database, source_id: int, **columns: Any) -> None:
    table = tables.sources
    await db.write(lambda tx: tx.execute(sa.update(table).where(table.c.id == source_id).values(**columns)))


async def test_what_is_stored_is_read_as_it_was_said(db: Database) -> None:
    source_id = await write(db, sources.add, OPTIONS, public_id="p", now=NOON, disabled_by="ada")

    source = await _get(db, source_id)

    assert {each.name: getattr(source, each.name) for each in fields(SourceOptions)} == {
        each.name: getattr(OPTIONS, each.name) for each in fields(SourceOptions)
    }
    assert (source.public_id, source.disabled_by, source.disabled_at, source.created_at) == ("p", "ada", NOON, NOON)
    assert (source.is_implicit, source.deleted_at, source.window_faults) == (False, None, ())


async def test_saving_writes_what_differs_and_when(db: Database) -> None:
    before = await _get(db, await write(db, a_source))
    after = replace(before, interval=HOUR, windows=OPTIONS.windows, policy=PolicyName.FIXED, disabled_reason="moved")

    assert sources.difference(before, after).keys() == {"interval_seconds", "windows", "policy", "disabled_reason"}
    assert await write(db, sources.save, before, after, now=NOON + HOUR)

    assert await _get(db, before.id) == replace(after, updated_at=NOON + HOUR)


async def test_a_source_that_is_gone_is_not_saved(db: Database) -> None:
    source = await _get(db, await write(db, a_source))
    await write(db, sources.remove, source.id)

    assert not await write(db, sources.save, source, replace(source, priority=3), now=NOON)


@pytest.mark.parametrize(
    ("spoilt", "read"),
    [
        pytest.param({"kind": "unheard-of"}, {"kind": None}, id="a kind"),
        pytest.param({"policy": "a whim"}, {"policy": None}, id="a policy"),
        pytest.param({"organisation_type": "circus"}, {"organisation_type": None}, id="an organisation"),
        pytest.param({"interval_seconds": 10**17}, {"interval": None}, id="an endless interval"),
        pytest.param({"recipe": {"itmes": "li"}}, {"recipe": {"itmes": "li"}}, id="a recipe, which is left as it is"),
    ],
)
async def test_what_cannot_be_read_in_one_source_keeps_nobody_from_the_others(
    db: Database, spoilt: dict[str, Any], read: dict[str, Any]
) -> None:
    good, bad = await write(db, a_source, "good"), await write(db, a_source, "bad")
    await _spoil(db, bad, **spoilt)

    found = await write(db, sources.many, [good, bad])

    assert found.keys() == {good, bad}
    assert {name: getattr(found[bad], name) for name in read} == read


async def test_a_window_that_cannot_be_read_is_a_fault_until_the_windows_are_saved_again(db: Database) -> None:
    source_id = await write(db, a_source)
    usable = {"kind": "allow", "days": ["mon"], "start": "22:00", "end": "05:00", "zone": "UTC"}
    await _spoil(db, source_id, windows=[usable, usable | {"zone": "Mars/Olympus"}])

    source = await _get(db, source_id)
    (fault,) = source.window_faults
    assert source.windows == window_text.parse("mon 22:00-05:00")
    assert "window 2 of 2 is not in effect" in fault
    assert "Mars/Olympus" in fault

    await write(db, sources.save, source, replace(source, priority=3), now=NOON)
    assert (await _get(db, source_id)).window_faults == (fault,)
    await write(db, sources.save, source, replace(source, window_faults=()), now=NOON)
    assert (await _get(db, source_id)).window_faults == ()


async def test_windows_of_which_none_can_be_read_were_set_all_the_same(db: Database) -> None:
    source_id = await write(db, a_source)
    await _spoil(db, source_id, windows=["always"])

    source = await _get(db, source_id)

    assert (source.windows, len(source.window_faults), source.has_windows) == ((), 1, True)
