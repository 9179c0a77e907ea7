"""The same thing has the same hash, whatever else changed; another thing has another."""

from typing import Any

import pytest

from lamplighter.model.record import RecordKind
from lamplighter.normalise.identity import address_of, canonical_hash, content_hash


def identity(kind: RecordKind = RecordKind.JOB, **changed: Any) -> str:
    given: dict[str, Any] = {
        "own_url": None,
        "guid": None,
        "source_url": "https://a.example/jobs",
        "page_url": "https://a.example/jobs?page=2",
        "title": "Nurse",
        "organisation": "Acme",
        "location": "Bonn",
    }
    return canonical_hash(kind, **given | changed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            {"own_url": "u", "title": "A"}, {"own_url": "u", "title": "B", "guid": "g"}, id="the address decides"
        ),
        pytest.param({"guid": "g", "title": "A"}, {"guid": "g", "title": "B"}, id="else the id in its source"),
        pytest.param({"title": "NURSE  "}, {"title": "nurse"}, id="else the name, in any case"),
        pytest.param(
            {"page_url": "https://a.example/1"}, {"page_url": "https://www.a.example/2"}, id="anywhere on the site"
        ),
        pytest.param(
            {"guid": "g", "source_url": "https://a.example/?utm_source=x"},
            {"guid": "g", "source_url": "https://a.example/"},
            id="tracking in the source's address",
        ),
    ],
)
def test_the_same_thing_seen_again(one: dict[str, str], other: dict[str, str]) -> None:
    assert identity(**one) == identity(**other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param({"own_url": "u"}, {"own_url": "v"}, id="another address"),
        pytest.param({"guid": "g"}, {"guid": "g", "source_url": "https://b.example/"}, id="the id in another source"),
        pytest.param({}, {"organisation": "Other"}, id="another organisation"),
        pytest.param({}, {"location": None}, id="no place"),
        pytest.param({}, {"page_url": "https://b.example/"}, id="another site"),
        pytest.param({"own_url": "x"}, {"guid": "x"}, id="an address is no id"),
        pytest.param({}, {"kind": RecordKind.ARTICLE}, id="another kind"),
        pytest.param({"title": "a b", "organisation": "c"}, {"title": "a", "organisation": "b c"}, id="shifted words"),
    ],
)
def test_another_thing(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert identity(**one) != identity(**other)


def test_content_is_equal_in_any_order() -> None:
    assert content_hash({"a": 1, "b": [2]}) == content_hash({"b": [2], "a": 1}) != content_hash({"a": 1})


@pytest.mark.parametrize("value", [None, "", "not a url", "javascript:alert(1)", "/relative", 7, "\ud800"])
def test_j5_only_web_addresses_are_addresses(value: object) -> None:
    assert address_of(value) is None
