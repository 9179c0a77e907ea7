"""The address of a thing is one that it names, or one that the page links to."""

from typing import Any

import pytest

from lamplighter.extract.answers.json_links import PageLinks
from lamplighter.extract.html_page import parse_page

HTML = "<a href=/jobs/nurse-in-bonn>1</a><a href=/job?id=4711>2</a><a href=/x/cook-815.html>3</a><a href=/a/twin>4</a>\
<a href=/b/twin>5</a>"
LINKS = PageLinks(parse_page(HTML, "https://a.example/jobs/list"))


@pytest.mark.parametrize(
    ("item", "path"),
    [
        ({"url": "/j/1"}, "/j/1"),
        ({"absolute_url": "https://a.example/j/1", "url": "/api/1"}, "/j/1"),
        ({"link": {"href": "/j/1"}}, "/j/1"),
        ({"path": "jobs/nurse-in-bonn"}, "/jobs/nurse-in-bonn"),
        ({"slug": "nurse-in-bonn"}, "/jobs/nurse-in-bonn"),
        ({"slug": {"current": "Nurse-in-Bonn"}}, "/jobs/nurse-in-bonn"),
        ({"id": 4711}, "/job?id=4711"),
        ({"jobId": "815"}, "/x/cook-815.html"),
    ],
)
def test_an_address_is_found(item: dict[str, Any], path: str) -> None:
    assert LINKS.link_of(item) == f"https://a.example{path}"


@pytest.mark.parametrize(
    "item",
    [
        pytest.param({"slug": "teacher"}, id="a slug without a link"),
        pytest.param({"slug": "twin"}, id="a slug of two links"),
        pytest.param({"path": "elsewhere/7"}, id="relative to who knows what"),
        pytest.param({"url": "/picture.jpg"}, id="a picture"),
        pytest.param({"url": "/jobs/list"}, id="the page itself"),
        pytest.param({"url": "javascript:void(0)"}, id="no address"),
        pytest.param({"id": True, "url": None, "slug": []}, id="no texts"),
    ],
)
def test_no_address_is_made_up(item: dict[str, Any]) -> None:
    assert LINKS.link_of(item) is None
