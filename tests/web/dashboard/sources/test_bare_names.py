"""What tells sources apart that have no name but their host's."""

import pytest

from lamplighter.app import Store
from lamplighter.web.dashboard.sources.bare_names import all_beside, beside_name
from lamplighter.web.view import ServiceView
from tests.web.dashboard.sources.given_changes import a_source


@pytest.mark.parametrize(
    ("name", "url", "beside"),
    [
        pytest.param("127.0.0.1", "http://127.0.0.1:8063/category/pans", ":8063/category/pans", id="port and path"),
        pytest.param("example.org", "https://example.org/jobs?page=1", "/jobs?page=1", id="path and query"),
        pytest.param("example.org", "https://example.org/", "", id="a site as a whole"),
        pytest.param("Quay Jobs", "https://example.org/jobs", "", id="a name of its own"),
        pytest.param("example.org", f"https://example.org/{'a' * 90}", f"/{'a' * 58}…", id="a long path"),
    ],
)
def test_the_rest_of_the_url_stands_beside_a_bare_host(name: str, url: str, beside: str) -> None:
    assert beside_name(name, url) == beside


async def test_of_many_only_those_without_a_name_are_told_of(store: Store, view: ServiceView) -> None:
    named = await a_source(store, view, url="https://example.org/a")
    bare = await a_source(store, view, url="https://example.org/b", name="")

    async with store.db.read() as db:
        told = await all_beside(db, {each.public_id: each.name for each in (named, bare)})

    assert told == {bare.public_id: "/b"}
