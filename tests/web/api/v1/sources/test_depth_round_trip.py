"""A depth means the same on every way in and out: API, CSV, JSON, OPML, events."""

from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Store
from lamplighter.errors import BadInput
from lamplighter.operations.sources.source_words import depth_number, depth_word, typed_depth
from lamplighter.store.schema import tables
from tests.web.asgi_client import Ask

SOURCES = "/api/v1/sources"
URL = "https://quay.example/jobs"
#: as it is given -> as it is answered, whichever way it comes and goes
ANSWERED: dict[Any, Any] = {None: 3, 0: 3, "page": "page", 1: 1, 3: 3, 5: 5, 6: 6, 100: 100, -1: -1}
TYPES = {"csv": "text/csv", "json": "application/json", "jsonl": "application/x-ndjson", "opml": "text/x-opml"}
DEPTHS = [pytest.param(given, answered, id=str(given)) for given, answered in ANSWERED.items()]


@pytest.mark.parametrize(("given", "answered"), DEPTHS)
def test_a_word_reads_back_as_itself(given: Any, answered: Any) -> None:
    stored = depth_number(given)

    assert depth_word(stored) == answered
    assert depth_number(depth_word(stored)) == stored


@pytest.mark.parametrize(("given", "answered"), DEPTHS)
@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "opml"])
async def test_a_file_brings_back_the_depth_that_was_exported(ask: Ask, form: str, given: Any, answered: Any) -> None:
    added = (await ask.post(SOURCES, {"url": URL, "max_depth": given})).json
    file = (await ask.get(f"{SOURCES}/export", format=form)).text
    await ask.delete(f"{SOURCES}/{added['id']}/permanent")

    report = await ask(f"{SOURCES}/import", method="POST", body=file.encode(), content_type=TYPES[form])
    (again,) = (await ask.get(SOURCES)).json["sources"]

    assert added["max_depth"] == answered
    assert report.json["created"] == 1, report.text
    assert (again["id"] != added["id"], again["max_depth"]) == (True, answered)


@pytest.mark.parametrize(("given", "answered"), DEPTHS)
async def test_an_event_says_the_depth_that_the_api_answers(ask: Ask, store: Store, given: Any, answered: Any) -> None:
    await ask.post(SOURCES, {"url": URL, "max_depth": given})

    async with store.db.read() as db:
        (payload,) = list(await db.scalars(sa.select(tables.events.c.payload)))
    assert payload["max_depth"] == answered
    assert depth_word(depth_number(payload["max_depth"])) == answered


@pytest.mark.parametrize("given", [6, 100, -1])
async def test_more_than_five_is_answered_with_a_warning(ask: Ask, given: int) -> None:
    deep = (await ask.post(SOURCES, {"url": URL, "max_depth": given})).json
    usual = (await ask.patch(f"{SOURCES}/{deep['id']}", {"max_depth": 5})).json
    row = f"url,max_depth\nhttps://other.example/,{given}\n".encode()
    report = (await ask(f"{SOURCES}/import", method="POST", body=row, content_type="text/csv")).json

    assert ["is deep" in warning for warning in deep["warnings"]] == [True]
    assert usual["warnings"] == []
    assert "is deep" in report["rows"][0]["message"]


def test_a_typed_zero_is_refused_with_what_to_write_instead() -> None:
    with pytest.raises(BadInput, match='use "page" for this page alone, or leave it out for 3'):
        typed_depth("0")
