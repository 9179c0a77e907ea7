"""Many sources at once: asked first, done then, and told what became of it."""

import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import jwt
import pytest

from lamplighter.app import Store, open_service
from lamplighter.app.web_view import view_of
from lamplighter.model.crawl import JobState
from lamplighter.operations.sources import sources
from lamplighter.settings import load
from lamplighter.store.jobs import crawl_jobs
from lamplighter.web.server import make_app
from tests.web.access.clients import SECRET, claims
from tests.web.asgi_client import Ask, Reply
from tests.web.dashboard.sources.given_sources import add_source
from tests.web.forms import FORM


async def send(ask: Ask, *, htmx: bool = False, **fields: Any) -> Reply:
    body = urlencode(fields, doseq=True).encode()
    more = {"hx_request": "true"} if htmx else {}
    return await ask("/sources/bulk", method="POST", body=body, **FORM, **more)


def said(reply: Reply) -> str:
    """What stands on the next page."""
    return unquote(reply.headers["set-cookie"].partition("=")[2].partition(";")[0])


async def states(store: Store, ids: list[str]) -> list[str]:
    async with store.db.read() as db:
        found = await crawl_jobs.of_sources(db, [(await sources.find(db, public_id)).id for public_id in ids])
    return [job.state for job in found.values()]


async def test_nothing_is_done_before_it_is_confirmed(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, name) for name in ("A", "B", "C")]

    reply = await send(ask, action="pause", ids=ids, back="/?search=a")

    assert "Pause 3 sources?" in reply.text
    assert reply.text.count('name="ids"') == 3
    assert 'href="/?search=a"' in reply.text
    assert await states(store, ids) == [JobState.PENDING] * 3


async def test_a_way_back_that_cannot_be_read_leads_to_the_whole_list(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, name) for name in ("A", "B")]

    reply = await send(ask, action="add_tag", ids=ids[:1], back="http://[")

    assert reply.status == 422
    assert "enter the tag" in reply.text
    assert reply.text.count('name="ids"') == 2


async def test_those_that_are_ticked_are_paused(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, name) for name in ("A", "B", "C")]

    reply = await send(ask, action="pause", ids=ids[:1], others=ids[1], confirmed="1", back="/?search=a")

    assert (reply.status, reply.headers["location"]) == (303, "/?search=a")
    assert said(reply) == "2 sources paused."
    assert sorted(await states(store, ids)) == [JobState.PAUSED, JobState.PAUSED, JobState.PENDING]


async def test_all_that_match_are_meant_without_naming_them(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, name) for name in ("North 1", "North 2", "South")]
    asked = {"action": "pause", "everything": "1", "only_search": "north", "ids": ids[2]}

    question = await send(ask, **asked)
    await send(ask, **asked, confirmed="1")

    assert "Pause 2 sources?" in question.text
    assert sorted(await states(store, ids)) == [JobState.PAUSED, JobState.PAUSED, JobState.PENDING]


async def test_what_was_confirmed_is_asked_again_when_more_have_come_to_match(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, name) for name in ("North 1", "North 2")]
    order = {"action": "delete", "everything": "1", "only_search": "north", "asked": "Delete 2 sources?"}
    await add_source(store, "North 3")

    reply = await send(ask, **order, confirmed="1")

    assert "Delete 3 sources?" in reply.text
    assert await states(store, ids) == [JobState.PENDING] * 2


async def test_the_question_leads_back_to_the_page_before_it(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, "A")]

    question = await send(ask.with_headers(referer="http://127.0.0.1:8060/?search=a"), action="pause", ids=ids)

    assert '<input type="hidden" name="back" value="/?search=a">' in question.text


async def test_what_is_refused_or_was_so_already_is_told_with_its_reason(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, name) for name in ("A", "B")]
    await send(ask, action="pause", ids=ids[0], confirmed="1")

    paused = await send(ask, action="pause", ids=ids, confirmed="1")
    enabled = await send(ask, action="enable", ids=ids, confirmed="1")

    assert said(paused).startswith("1 source paused, 1 refused: ")
    assert "pause" in said(paused).partition("refused: ")[2].lower()
    assert said(enabled) == "0 sources enabled, 2 unchanged."


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"action": "add_tag", "with_tag": ""}, "enter the tag"),
        ({"action": "set_priority", "to_priority": ""}, "choose the priority first"),
        ({"action": "explode"}, "choose an action"),
        ({"action": "pause", "ids": []}, "select at least one source"),
        ({"action": "pause", "ids": "<b>"}, "the selection has invalid ids"),
        ({"action": "pause", "everything": "1", "only_status": "odd"}, "status &#39;odd&#39; is unknown"),
    ],
)
async def test_what_cannot_be_done_is_told_in_the_bar_which_keeps_what_was_chosen(
    ask: Ask, store: Store, fields: dict[str, Any], message: str
) -> None:
    public_id = await add_source(store)
    given = {"ids": public_id, "with_tag": "", "to_priority": "high", "back": "/"} | fields

    whole, part = await send(ask, **given), await send(ask, htmx=True, **given)

    assert (whole.status, part.status) == (422, 422)
    assert message in whole.text
    assert message in part.text
    assert part.headers["hx-retarget"] == "#bar-faults"
    assert ('<option value="high" selected>' in whole.text) == ("to_priority" not in fields)
    assert (f'value="{public_id}" aria-label="Select Quay Jobs" checked' in whole.text) == ("ids" not in fields)


async def test_tags_and_priorities_are_set_for_all(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, name) for name in ("A", "B")]

    question = await send(ask, action="add_tag", with_tag="<i>north", ids=ids)
    tagged = await send(ask, action="add_tag", with_tag="north", ids=ids, confirmed="1")
    raised = await send(ask, action="set_priority", to_priority="high", ids=ids, confirmed="1")
    shown = (await ask("/?tag=north&priority=high")).text

    assert "Add the tag &#39;&lt;i&gt;north&#39; to 2 sources?" in question.text
    assert (said(tagged), said(raised)) == ("2 sources tagged.", "2 sources set to that priority.")
    assert shown.count("data-source-row") == 2


async def test_what_is_deleted_is_listed_apart_and_can_be_restored(ask: Ask, store: Store) -> None:
    ids = [await add_source(store, name) for name in ("A", "B")]

    await send(ask, action="delete", ids=ids[0], confirmed="1")
    left, gone = (await ask("/")).text, (await ask("/?status=deleted")).text
    await send(ask, action="restore", everything="1", only_status="deleted", confirmed="1")

    assert (left.count("data-source-row"), gone.count("data-source-row")) == (1, 1)
    assert 'value="restore"' in gone
    assert (await ask("/")).text.count("data-source-row") == 2


async def test_a_viewer_sees_the_list_and_nothing_to_choose(tmp_path: Path, migrated_file: Path) -> None:
    shutil.copyfile(migrated_file, tmp_path / "lamplighter.db")
    settings = load({}, data_dir=tmp_path, auth_jwt_secret=SECRET)
    token = jwt.encode(claims(role="viewer"), SECRET, algorithm="HS256")
    async with open_service(settings) as service:
        public_id = await add_source(Store(db=service.db, clock=service.clock))
        viewer = Ask(make_app(view_of(service)), authorization=f"Bearer {token}")

        text = (await viewer("/")).text
        row = (await viewer(f"/sources/{public_id}/row")).text

    assert "Quay Jobs" in text
    assert all(hidden not in text + row for hidden in ('class="bulk"', 'name="ids"', 'href="/sources/add"'))
