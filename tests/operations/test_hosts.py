"""Host policies and takedowns, as an operator sets them."""

import pytest
import sqlalchemy as sa

from lamplighter.errors import BadInput, BadUrl
from lamplighter.operations import hosts
from lamplighter.store import tables
from lamplighter.store.database import Database
from tests.moments import NOON


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        pytest.param({"max_concurrency": 0}, "max_concurrency 0 is out of range; use 1 to 64", id="nobody at once"),
        pytest.param({"min_delay_ms": -1}, "min_delay_ms -1.*use 0", id="a negative delay"),
        pytest.param({"max_pages": 0}, "max_pages 0.*use 1", id="no pages"),
        pytest.param({"max_page_kb": 10**9}, "max_page_kb 1000000000", id="a page of a terabyte"),
        pytest.param({"delay": 3}, "'delay' is no part.*min_delay_ms", id="an unknown name"),
    ],
)
async def test_an_impossible_policy_is_refused_and_nothing_is_stored(
    db: Database, policy: dict[str, int], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        await db.write(lambda c: hosts.set_policy(c, "a.example", actor="test", now=NOON, **policy))

    async with db.read() as connection:
        assert (await connection.execute(sa.select(tables.hosts))).all() == []


async def test_none_goes_back_to_the_default(db: Database) -> None:
    await db.write(lambda c: hosts.set_policy(c, "a.example", actor="test", now=NOON, max_pages=7, min_delay_ms=0))
    await db.write(lambda c: hosts.set_policy(c, "a.example", actor="test", now=NOON, max_pages=None))

    async with db.read() as connection:
        stored = (await connection.execute(sa.select(tables.hosts))).one()
    assert (stored.max_pages, stored.min_delay_ms) == (None, 0)


async def test_a_takedown_is_kept_once_in_one_spelling(db: Database) -> None:
    for spelling in ("Example.ORG", "example.org", " example.org "):
        await db.write(lambda c, spelling=spelling: hosts.take_down(c, spelling, actor="test", now=NOON))  # type: ignore[misc]

    async with db.read() as connection:
        assert list(await connection.scalars(sa.select(tables.takedowns.c.domain_or_url))) == ["example.org"]


async def test_a_takedown_that_is_neither_domain_nor_url_is_refused(db: Database) -> None:
    with pytest.raises(BadUrl, match=r"'\*\.org' is neither.*example\.org"):
        await db.write(lambda c: hosts.take_down(c, "*.org", actor="test", now=NOON))
