"""Characters that are no text: PostgreSQL refuses them, so none may come so far. Walked over all pages."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode
from uuid import UUID

import pytest
from fastapi.routing import APIRoute

from lamplighter.app import Service
from lamplighter.settings import Settings, load
from lamplighter.web.all_routes import PARTS
from tests.web.access.clients import Visitor
from tests.web.api.given_sources import watched
from tests.web.asgi_client import Ask

NO_TEXT = "a\x00b"
#: what pages read of their address themselves
READ_BY_HAND = {
    "/": ("search", "status", "priority", "kind", "tag", "host", "failures"),
    "/audit": ("actor", "action", "subject"),
    "/proxies": ("country", "provider"),
    "/records": ("q", "tag", "organisation"),
    "/settings/notifications/log": ("channel", "rule", "status"),
}


@pytest.fixture
def settings(tmp_path: Path, migrated_url: str) -> Settings:
    """An installation on a developer's machine, with an empty database of each kind."""
    return load({}, data_dir=tmp_path, database_url=migrated_url)


def _addresses(source_id: str) -> Iterator[str]:
    """Every page of the dashboard, once for each place in its address that takes a text."""
    for route in (route for part in PARTS for route in part.router.routes):
        if not isinstance(route, APIRoute) or route.include_in_schema or "GET" not in route.methods:
            continue
        names = [each.alias for each in route.dependant.path_params]
        given = dict.fromkeys(names, str(UUID(int=5))) | {"source_id": source_id}
        path = route.path.replace(":path}", "}")
        for name in names:
            yield path.format(**given | {name: NO_TEXT})
        for name in (*(each.alias for each in route.dependant.query_params), *READ_BY_HAND.get(route.path, ())):
            yield f"{path.format(**given)}?{name}={quote(NO_TEXT)}"


async def test_no_page_is_broken_by_its_address(ask: Ask, service: Service) -> None:
    source = await watched(service, ask, "harbour")

    answers = [(address, (await ask(address)).status) for address in _addresses(source.source_id)]

    assert len(answers) > 100
    assert [(address, status) for address, status in answers if status >= 500] == []


async def test_a_filter_that_is_no_text_is_told_beside_its_field(ask: Ask, service: Service) -> None:
    await watched(service, ask, "harbour")

    text = (await ask("/", query={"search": NO_TEXT})).text

    assert "search holds the character U+0000, which is no text; leave it out" in text


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/crawl/pause", "reason"),
        ("/settings/secrets/remove", "name"),
        ("/settings/tags/delete", "tag"),
        ("/settings/tags/edit", "tag"),
        ("/settings/tags/rename", "tag"),
        ("/settings/takedowns", "reason"),
    ],
)
async def test_what_is_no_text_is_left_out_of_a_form(ask: Ask, path: str, field: str) -> None:
    body = urlencode({"domain_or_url": "a.example", field: NO_TEXT}).encode()

    reply = await ask(
        path, method="POST", body=body, content_type="application/x-www-form-urlencoded", sec_fetch_site="same-origin"
    )

    assert reply.status in (303, 404)


async def test_nobody_logs_in_under_a_name_that_is_no_text(ask: Ask) -> None:
    assert (await Visitor(ask).log_in(NO_TEXT)).status == 401
