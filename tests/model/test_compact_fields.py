"""What is sent to reader processes and back arrives as it was."""

import pickle
from dataclasses import fields
from datetime import UTC, date, datetime
from typing import Any

import pytest

from lamplighter.model.recipe import EMPTY, FieldRule, Recipe
from lamplighter.model.record import Record, RecordKind
from lamplighter.rules.urls.scope import LinkScope

_SENT = [
    Record(
        kind=RecordKind.JOB,
        url="https://a.example/1",
        canonical_hash="c",
        content_hash="h",
        title="Lamplighter",
        tags=("oil", "night"),
        deadline=date(2027, 3, 1),
        published_at=datetime(2026, 3, 14, tzinfo=UTC),
        fields={"price": 1.5},
    ),
    LinkScope(hostnames=("a.example", "b.example"), max_depth=-1),
    EMPTY,
    Recipe(items="li", fields={"title": FieldRule(selector="h1")}),
]


@pytest.mark.parametrize("sent", _SENT, ids=lambda each: type(each).__name__)
def test_it_is_equal_field_by_field(sent: Any) -> None:
    got = pickle.loads(pickle.dumps(sent, protocol=pickle.HIGHEST_PROTOCOL))

    assert type(got) is type(sent)
    assert got == sent
    assert [getattr(got, each.name) for each in fields(got)] == [getattr(sent, each.name) for each in fields(sent)]
    assert "_restored" in repr(sent.__reduce__())
