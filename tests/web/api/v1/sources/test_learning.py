"""Recipes learned over the API from texts of the stored page."""

from lamplighter.app import Store
from lamplighter.operations.sources import sources
from lamplighter.web.view import ServiceView
from tests.web.asgi_client import Ask
from tests.web.dashboard.sources.given_changes import a_page_that_was, a_source

_ROW = (
    '<div class="offer{}"><b class="headline">Keeper {}</b> <i class="where">Town {}</i> '
    '<a href="/offer/{}">Details</a></div>'
)


def _board(count: int) -> bytes:
    rows = "".join(_ROW.format("", n, n, n) for n in range(1, count + 1))
    return f"<html><body>{rows}{_ROW.format(' promo', 'wanted', 'x', 'x')}</body></html>".encode()


async def test_a_recipe_is_learned_from_titles_and_tried_on_every_version(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await a_source(store, view)
    await a_page_that_was(store, view, source, _board(4), _board(6))

    given = {"titles": ["Keeper 1"], "wrong": ["Keeper wanted"], "fields": {"location": "Town 2"}}
    reply = await ask.post(f"/api/v1/sources/{source.public_id}/learn", given)

    assert reply.status == 200
    assert reply.json["recipe"] == {
        "items": ".offer:not(.promo)",
        "fields": {"title": ".headline", "url": "a", "location": ".where"},
    }
    assert (reply.json["rows"], reply.json["versions"]) == (6, [6, 4])
    assert reply.json["lasting"] == "matches 4 to 6 rows on each of 2 versions"
    assert reply.json["records"][0]["title"] == "Keeper 1"
    async with store.db.read() as db:
        assert (await sources.find_by_url(db, source.url)).recipe == {}


async def test_a_learned_recipe_is_saved_and_taken_back(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view, recipe={"exclude": ["/x"]})
    await a_page_that_was(store, view, source, _board(4))
    path = f"/api/v1/sources/{source.public_id}"

    saved = await ask.post(f"{path}/learn", {"titles": ["Keeper 1"], "save": True})
    after = (await ask(path)).json["recipe"]
    back = await ask.post(f"{path}/recipe-back")

    assert saved.json["saved"] is True
    assert after == {"items": ".offer", "fields": {"title": ".headline", "url": "a"}, "exclude": ["/x"]}
    assert back.json["recipe"] == {"exclude": ["/x"]}


async def test_what_cannot_be_learned_says_why_and_changes_nothing(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await a_source(store, view)
    path = f"/api/v1/sources/{source.public_id}"

    unstored = await ask.post(f"{path}/learn", {"titles": ["Keeper 1"]})
    nothing_before = await ask.post(f"{path}/recipe-back")
    await a_page_that_was(store, view, source, _board(4))
    unknown = await ask.post(f"{path}/learn", {"titles": ["Keper 1"], "save": True})
    no_field = await ask.post(f"{path}/learn", {"titles": ["Keeper 1"], "fields": {"colour": "x"}})

    assert (unstored.status, unstored.json["code"]) == (409, "page_not_stored")
    assert (nothing_before.status, nothing_before.json["code"]) == (409, "no_earlier_recipe")
    assert unknown.status == 422
    assert "did you mean 'Keeper 1'?" in unknown.text
    assert "'colour' cannot be taught" in no_field.text
    assert (await ask(path)).json["recipe"] in (None, {})
