"""What sources inherit from their tags."""

from typing import Any

import pytest

from lamplighter.model.schedule import PolicyName
from lamplighter.operations import sources
from lamplighter.operations.sources import NewSource
from lamplighter.store import job_demand, tags
from lamplighter.store.database import Database
from tests.moments import NOON
from tests.store.given import write


@pytest.mark.parametrize(
    ("policies", "inherited"),
    [
        pytest.param({}, [], id="tags that say nothing"),
        pytest.param({"sea": "fixed"}, ["fixed"], id="one that does"),
        pytest.param({"sea": "fixed", "north": "priority"}, ["priority", "fixed"], id="two, by the alphabet"),
        pytest.param({"sea": "fixed", "north": None}, ["fixed"], id="one that was taken back"),
        pytest.param({"south": "fixed"}, [], id="somebody else's"),
    ],
)
async def test_a_source_inherits_the_policies_of_its_tags(
    db: Database, policies: dict[str, Any], inherited: list[str]
) -> None:
    new = NewSource(url="https://a.example/", tags=("sea", "north"))
    source_id = await write(db, sources.add, new, actor="test", now=NOON)
    for tag, policy in policies.items():
        await write(db, tags.set_policy, tag, PolicyName.YIELD_DAYS, now=NOON)
        await write(db, tags.set_policy, tag, policy, now=NOON)

    first = {source_id: inherited[0]} if inherited else {}
    assert await write(db, tags.policies_of, source_id) == inherited
    assert await write(db, job_demand.tag_policies) == first
