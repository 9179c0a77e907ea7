"""How a JSON API is asked is checked part by part."""

from typing import Any

import pytest

from lamplighter.errors import BadRecipe
from lamplighter.extract.recipes.recipe_api import api_to_json, parse_api
from lamplighter.model.recipe import Api, Paging, PagingKind, Since


def test_what_is_not_said_has_its_usual_value() -> None:
    assert parse_api({"paging": {"kind": "page"}, "since": {"param": "s"}}) == Api(
        paging=Paging(kind=PagingKind.PAGE, param="page", start=1), since=Since(param="s", format="%Y-%m-%dT%H:%M:%SZ")
    )


def test_what_has_its_usual_value_is_not_written() -> None:
    form = {"paging": {"kind": "offset", "start": 0, "param": "offset", "max_pages": 50}, "method": "GET"}

    assert api_to_json(parse_api(form)) == {"paging": {"kind": "offset"}}


@pytest.mark.parametrize("form", [None, {}, {"method": "GET"}, {"headers": {}, "paging": None}])
def test_an_api_of_which_nothing_is_said_is_none(form: object) -> None:
    assert parse_api(form) is None


@pytest.mark.parametrize(
    ("form", "named"),
    [
        pytest.param([], "api", id="not an object"),
        pytest.param({"method": "POST"}, "only GET is supported", id="another method"),
        pytest.param({"paging": {}, "cookies": True}, "cookies", id="an unknown key"),
        pytest.param({"paging": {"kind": "scroll"}}, "use one of page, offset, cursor, link", id="an unknown kind"),
        pytest.param({"paging": {"kind": "cursor"}}, "api.paging.cursor_path", id="a cursor from nowhere"),
        pytest.param({"paging": {"kind": "page", "start": "1"}}, "api.paging.start", id="a text for a number"),
        pytest.param({"paging": {"kind": "page", "start": True}}, "api.paging.start", id="a truth for a number"),
        pytest.param({"paging": {"kind": "page", "size": 0}}, "api.paging.size", id="no size"),
        pytest.param({"paging": {"kind": "page", "max_pages": 9999}}, "1 to 1000", id="too many pages"),
        pytest.param({"paging": {"kind": "link", "max_pages": 9}}, "source's own max_pages", id="links do not count"),
        pytest.param({"paging": {"kind": "page", "param": "a&b"}}, "api.paging.param", id="no parameter"),
        pytest.param({"paging": {"kind": "page", "total_path": "a b"}}, "api.paging.total_path", id="no path"),
        pytest.param({"since": {"format": "epoch"}}, "api.since.param", id="since without a parameter"),
        pytest.param({"since": {"param": "s", "format": "yesterday"}}, "api.since.format", id="no format"),
        pytest.param({"headers": {"Host": "x"}}, "api.headers.Host", id="a header of ours"),
        pytest.param({"headers": {"X-A": "1", "x-a": "2"}}, "twice", id="a header twice"),
        pytest.param({"headers": {"X-A": None}}, "api.headers", id="a header without a value"),
        pytest.param({"headers": ["X-A"]}, "api.headers", id="headers in a list"),
        pytest.param({"params": {"key": "{secret:k}"}}, "api.headers", id="a secret in the address"),
        pytest.param({"params": {"a b": "c"}}, "api.params", id="no parameter's name"),
        pytest.param({"params": {"a": "b" * 501}}, "500", id="a parameter too long"),
        pytest.param({"params": {str(n): "" for n in range(31)}}, "api.params", id="too many parameters"),
    ],
)
def test_a_part_that_cannot_be_used_is_named_with_the_remedy(form: Any, named: str) -> None:
    with pytest.raises(BadRecipe) as refusal:
        parse_api(form)

    assert named in str(refusal.value)


def test_a_credential_is_never_repeated_in_the_refusal() -> None:
    with pytest.raises(BadRecipe) as refusal:
        parse_api({"headers": {"Authorization": "Bearer hunter2hunter2"}})

    assert "hunter2" not in str(refusal.value)
