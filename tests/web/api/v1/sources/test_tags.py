"""Tags over /api/v1: who carries them, and what is inherited."""

from typing import Any

import pytest

from tests.web.asgi_client import Ask

TAGS = "/api/v1/tags"


async def _source(ask: Ask, name: str, *tags: str) -> str:
    reply = await ask.post("/api/v1/sources", {"url": f"https://{name}.example/", "tags": list(tags)})
    public_id: str = reply.json["id"]
    return public_id


async def test_tags_are_counted_and_those_that_only_say_something_are_listed_too(ask: Ask) -> None:
    await _source(ask, "a", "sea", "north")
    gone = await _source(ask, "b", "sea")
    await ask.delete(f"/api/v1/sources/{gone}")
    await ask.put(f"{TAGS}/quiet", {"policy": "fixed"})

    whole = (await ask.get(TAGS)).json
    part = (await ask.get(TAGS, limit=1, offset=1)).json

    assert [(tag["tag"], tag["source_count"]) for tag in whole["tags"]] == [("north", 1), ("quiet", 0), ("sea", 1)]
    assert ([tag["tag"] for tag in part["tags"]], part["total"]) == (["quiet"], 3)


async def test_what_a_tag_says_comes_back_and_is_replaced_as_a_whole(ask: Ask) -> None:
    said = {
        "policy": "fixed",
        "interval_minutes": 90,
        "min_interval_minutes": 30,
        "max_interval_minutes": 600,
        "windows": "22:00-05:00 Europe/Berlin",
        "max_pages": 7,
    }

    put = (await ask.put(f"{TAGS}/north sea", said)).json
    shown = (await ask.get(f"{TAGS}/north sea")).json
    replaced = (await ask.put(f"{TAGS}/north sea", {"max_pages": 8})).json

    assert {name: put[name] for name in said if name != "windows"} == {
        name: value for name, value in said.items() if name != "windows"
    }
    assert (put["windows"][0]["zone"], shown) == ("Europe/Berlin", put)
    assert (replaced["policy"], replaced["windows"], replaced["max_pages"]) == (None, [], 8)


async def test_a_removed_tag_is_gone_from_every_source(ask: Ask) -> None:
    source = await _source(ask, "a", "sea", "north")

    removed = await ask.delete(f"{TAGS}/sea")
    again = await ask.delete(f"{TAGS}/sea")

    assert removed.json == {"tag": "sea", "removed_from": 1}
    assert (again.status, again.json["code"]) == (404, "tag_not_found")
    assert (await ask.get(f"/api/v1/sources/{source}")).json["tags"] == ["north"]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param({"policy": "whim"}, id="an unknown policy"),
        pytest.param({"interval_minutes": 0}, id="all the time"),
        pytest.param({"min_interval_minutes": 9, "max_interval_minutes": 5}, id="bounds swapped"),
        pytest.param({"windows": "09:00-09:00"}, id="a window without length"),
        pytest.param({"max_pages": 0}, id="no pages"),
        pytest.param({"priority": "high"}, id="what a tag cannot say"),
    ],
)
async def test_what_no_source_could_keep_is_refused(ask: Ask, said: dict[str, Any]) -> None:
    assert (await ask.put(f"{TAGS}/sea", said)).status == 422
    assert (await ask.get(TAGS)).json["total"] == 0
