"""What sources inherit from their tags."""

from typing import Any

import pytest

from lamplighter.model.access import Stamp
from lamplighter.model.schedule import PolicyName
from lamplighter.operations.sources import sources
from lamplighter.operations.sources.sources import NewSource
from lamplighter.store.engine.database import Database
from lamplighter.store.sources import tags
from tests.moments import NOON
from tests.store.given_rows import write


@pytest.mark.parametrize(
    ("policies", "inherited"),
    [
        pytest.param({}, [], id="tags that say nothing"),
        pytest.param({"sea": "fixed"}, ["fixed"], id="one that does"),
        pytest.param({"sea": "fixed", "north": "priority"}, ["priority", "fixed"], id="two, by the alphabet"),
        pytest.param({"sea": "fixed", "north": None}, [None, "fixed"], id="one that was taken back"),
        pytest.param({"south": "fixed"}, [], id="somebody else's"),
    ],
)
async def test_a_source_inherits_what_its_tags_say(
    db: Database, policies: dict[str, Any], inherited: list[str | None]
) -> None:
    new = NewSource(url="https://a.example/", tags=("sea", "north"))
    source_id = await write(db, sources.add, new, stamp=Stamp("test", NOON))
    for tag, policy in policies.items():
        await write(db, tags.set_policy, tag, PolicyName.YIELD_DAYS, now=NOON)
        await write(db, tags.set_policy, tag, policy, now=NOON)

    mine = await write(db, tags.settings_of_sources, [source_id])

    assert [order.policy for order in mine.get(source_id, [])] == inherited
    assert await write(db, tags.settings_of_all) == mine
