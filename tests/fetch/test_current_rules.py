"""Rules of hosts are read together, and never before they were asked for."""

import asyncio

from lamplighter.fetch.current_rules import CurrentRulesReader
from lamplighter.model.host import HostChange, HostPolicy
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import hosts
from tests.counting import statements
from tests.moments import NOON
from tests.store.given_rows import write


async def test_hosts_whose_turns_come_together_share_a_reading(db: Database) -> None:
    ids = await write(db, hosts.ensure, [f"{name}.example" for name in "abcdefgh"], now=NOON)
    reader = CurrentRulesReader(db, defaults=HostPolicy())

    with statements() as sent:
        found = await asyncio.gather(*(reader.get(host_id) for host_id in ids.values()))

    assert [rules is not None for rules in found] == [True] * 8
    assert sum("FROM hosts" in statement for statement in sent) <= 2
    assert await reader.get(999) is None


async def test_what_is_set_before_a_question_is_in_the_answer_though_a_reading_is_under_way(db: Database) -> None:
    ids = await write(db, hosts.ensure, ["a.example", "b.example"], now=NOON)
    reader = CurrentRulesReader(db, defaults=HostPolicy())
    first = asyncio.create_task(reader.get(ids["a.example"]))
    await asyncio.sleep(0)

    await write(db, hosts.set_policy, "b.example", HostChange(max_concurrency=7), now=NOON)
    rules = await reader.get(ids["b.example"])
    await first

    assert rules is not None
    assert rules.policy.max_concurrency == 7
