"""Payloads that frameworks write in a form of their own."""

import json

import pytest

from lamplighter.extract.state.script_json import next_flight, nuxt, nuxt_function


def test_the_flat_list_of_nuxt_is_unfolded() -> None:
    payload = [
        ["ShallowReactive", 1],
        {"jobs": 2, "at": 6},
        [3, 4],
        {"title": 5},
        {"title": 5},
        "Nurse",
        ["Date", "2026"],
    ]

    assert nuxt(payload) == {"jobs": [{"title": "Nurse"}, {"title": "Nurse"}], "at": "2026"}


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ([{"a": 0}], {"a": None}),
        ([[1, 99, -1, "x", True], 5], [5, None, None, None, None]),
        ({"not": "flat"}, {"not": "flat"}),
        ([], []),
    ],
)
def test_a_payload_that_refers_to_itself_or_nowhere_ends(payload: object, expected: object) -> None:
    assert nuxt(payload) == expected


def test_the_parameters_of_nuxts_function_are_replaced_but_not_in_texts() -> None:
    script = 'window.__NUXT__=(function(a,b){return {data:[{t:a,u:"a",n:b,l:[a,1]}]}}("Köln",null));'

    assert nuxt_function(script) == {"data": [{"t": "Köln", "u": "a", "n": None, "l": ["Köln", 1]}]}


@pytest.mark.parametrize(
    "script", ["", "__NUXT__={a:1}", "__NUXT__=(function(a){return {a:a}", "__NUXT__=(function(){"]
)
def test_any_other_script_is_none(script: str) -> None:
    assert nuxt_function(script) is None


def test_the_rows_of_next_js_are_put_together_from_chunks() -> None:
    row = "1:" + json.dumps({"jobs": ["x" * 300]}) + "\n2:I[1]\n"
    pushes = "".join(f"self.__next_f.push([1,{json.dumps(part)}])" for part in (row[:50], row[50:]))

    assert list(next_flight(pushes + 'self.__next_f.push([1,"cut')) == [{"jobs": ["x" * 300]}]
