"""D9: a JSON API is asked from answer to answer, and every way ends."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lamplighter.extract.recipes.api_paging import first_url, next_request_url
from lamplighter.extract.recipes.recipe import parse_recipe
from lamplighter.model.recipe import Api

URL = "https://a.example/api/jobs"
NOON = datetime(2026, 3, 2, 14, tzinfo=timezone(timedelta(hours=2)))


def api(**form: Any) -> Api:
    parsed = parse_recipe({"api": form}).api
    assert parsed is not None
    return parsed


def following(data: Any, url: str, found: int = 10, **paging: Any) -> str | None:
    answer = next_request_url(data, url=url, api=api(paging=paging), records_found=found)
    return answer.removeprefix("https://a.example/api/jobs") if answer else None


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        pytest.param({"params": {"b": "x y", "a": 1}}, "?a=1&b=x+y", id="fixed parameters"),
        pytest.param({"paging": {"kind": "page"}}, "?page=1", id="the first page"),
        pytest.param(
            {"paging": {"kind": "offset", "size": 50, "size_param": "limit"}}, "?limit=50&offset=0", id="offset"
        ),
        pytest.param({"paging": {"kind": "cursor", "cursor_path": "c"}}, "", id="no cursor yet"),
        pytest.param({"since": {"param": "s", "format": "epoch"}}, "?s=1772452800", id="seconds since 1970"),
        pytest.param({"since": {"param": "s", "format": "%Y-%m-%dT%H:%MZ"}}, "?s=2026-03-02T12%3A00Z", id="UTC"),
    ],
)
def test_the_first_address_has_all_parameters(form: dict[str, Any], expected: str) -> None:
    assert first_url(URL, api(**form), NOON) == URL + expected


def test_the_first_time_everything_is_asked_for() -> None:
    assert first_url(URL, api(since={"param": "s"}), None) == URL


def test_parameters_of_the_recipe_replace_those_of_the_source() -> None:
    assert first_url(f"{URL}?page=7&q=x", api(paging={"kind": "page"}), NOON) == f"{URL}?page=1&q=x"


@pytest.mark.parametrize(
    ("url", "data", "found", "paging", "expected"),
    [
        pytest.param("?page=1", {}, 10, {}, "?page=2", id="the next number"),
        pytest.param("", {}, 10, {}, "?page=2", id="an address without a number is the first"),
        pytest.param("?p=0&q=x", {}, 10, {"param": "p", "start": 0}, "?p=1&q=x", id="counted from nought"),
        pytest.param("?page=4", {}, 0, {}, None, id="an empty answer is the last"),
        pytest.param("?page=2", {"n": 20}, 10, {"size": 10, "total_path": "n"}, None, id="at the total"),
        pytest.param("?page=3", {"n": 25}, 5, {"size": 10, "total_path": "n"}, None, id="at the total, not full"),
        pytest.param("?page=1", {"n": 500}, 100, {"size": 1000, "total_path": "n"}, "?page=2", id="smaller than asked"),
        pytest.param("?page=2", {"n": 500}, 100, {"size": 1000, "total_path": "n"}, "?page=3", id="and on"),
        pytest.param("?page=2", {"n": "many"}, 10, {"total_path": "n"}, "?page=3", id="a total that is none"),
        pytest.param("?page=3", {}, 10, {"max_pages": 3}, None, id="at the most pages"),
        pytest.param("?page=x", {}, 10, {}, "?page=2", id="a number that is none"),
    ],
)
def test_paging_by_number(url: str, data: Any, found: int, paging: dict[str, Any], expected: str | None) -> None:
    assert following(data, URL + url, found, kind="page", **paging) == expected


@pytest.mark.parametrize(
    ("url", "data", "found", "paging", "expected"),
    [
        pytest.param("?offset=0", {}, 10, {"size": 10}, "?offset=10", id="on by what there was"),
        pytest.param("?offset=0", {}, 7, {"size": 10}, "?offset=7", id="even if that was less than asked for"),
        pytest.param("?offset=20", {"n": 25}, 5, {"total_path": "n"}, None, id="at the total"),
        pytest.param("?offset=20", {}, 0, {}, None, id="an empty answer"),
        pytest.param("?offset=20", {}, 10, {"size": 10, "max_pages": 3}, None, id="at the most pages"),
    ],
)
def test_paging_by_offset(url: str, data: Any, found: int, paging: dict[str, Any], expected: str | None) -> None:
    assert following(data, URL + url, found, kind="offset", **paging) == expected


@pytest.mark.parametrize(
    ("url", "data", "expected"),
    [
        pytest.param("", {"m": {"c": "x/y="}}, "?cursor=x%2Fy%3D", id="the first cursor"),
        pytest.param("?cursor=a", {"m": {"c": "b"}}, "?cursor=b", id="the next cursor"),
        pytest.param("?cursor=a", {"m": {"c": "a"}}, None, id="a cursor that repeats"),
        pytest.param("?cursor=a", {"m": {"c": None}}, None, id="no cursor"),
        pytest.param("?cursor=a", {"m": {"c": {"x": 1}}}, None, id="no text"),
        pytest.param("?cursor=a", {"m": {"c": "é" * 2_000}}, None, id="longer than an address may be"),
    ],
)
def test_paging_by_cursor(url: str, data: Any, expected: str | None) -> None:
    assert following(data, URL + url, kind="cursor", cursor_path="m.c") == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param({"links": {"next": "?page=2"}}, "?page=2", id="relative"),
        pytest.param({"links": {"next": URL}}, None, id="back to itself"),
        pytest.param({"links": {"next": "https://b.example/api"}}, None, id="secrets do not go to another host"),
        pytest.param({"links": {"next": "http://a.example/api/jobs?page=2"}}, None, id="nor out in the open"),
        pytest.param({"links": {"next": 7}}, None, id="no address"),
    ],
)
@pytest.mark.parametrize("path", [{}, {"cursor_path": "links.next"}], ids=["guessed", "told"])
def test_paging_by_link(data: Any, expected: str | None, path: dict[str, str]) -> None:
    assert following(data, URL, kind="link", **path) == expected


def test_without_paging_one_answer_is_all() -> None:
    assert next_request_url({"next": "/2"}, url=URL, api=Api(), records_found=10) is None


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from(["page", "offset"]),
    st.integers(1, 20),
    st.integers(0, 100),
    st.sampled_from([{}, {"total_path": "n"}]),
)
def test_d9_every_record_is_reached_and_there_is_an_end(kind: str, size: int, total: int, more: dict[str, str]) -> None:
    asked = api(paging={"kind": kind, "size": size, "size_param": "limit", "max_pages": 1000, **more})
    url: str | None = first_url(URL, asked, None)
    reached: set[int] = set()
    answers = 0

    while url is not None:
        answers += 1
        number = int(url.partition(f"{kind}=")[2].partition("&")[0])
        start = number if kind == "offset" else (number - 1) * size
        records = range(start, min(start + size, total))
        reached |= set(records)
        url = next_request_url({"n": total}, url=url, api=asked, records_found=len(records))

    assert reached == set(range(total))
    assert answers <= total // size + 2


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=20) | st.integers() | st.none() | st.lists(st.text(max_size=3), max_size=2), st.integers(-1, 5))
def test_d9_no_answer_makes_it_raise(value: Any, found: int) -> None:
    for paging in (
        {"kind": "cursor", "cursor_path": "c"},
        {"kind": "link", "cursor_path": "c"},
        {"kind": "page", "total_path": "c"},
    ):
        answer = next_request_url({"c": value}, url=URL, api=api(paging=paging), records_found=found)

        assert answer is None or answer.startswith("https://a.example/")
