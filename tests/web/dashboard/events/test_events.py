"""What the pages about events show, and what can be done with those that nobody could handle."""

from uuid import uuid4

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.model.access import Stamp
from lamplighter.operations.sources import sources
from lamplighter.settings import Settings, load
from lamplighter.store.events import events
from lamplighter.store.schema import tables
from tests.web.asgi_client import Ask
from tests.web.forms import BROWSER_FORM, send_form
from tests.web.hostile_text import HOSTILE

LETTERS = "/events/dead-letters"


async def a_source(service: Service, name: str = "Quay Jobs") -> str:
    now = service.clock.now()
    new = sources.NewSource(url=f"https://{uuid4()}.example/", name=name)
    source_id = await service.db.write(lambda db: sources.add(db, new, stamp=Stamp("test", now)))
    async with service.db.read() as db:
        query = sa.select(tables.sources.c.public_id).where(tables.sources.c.id == source_id)
        return str(await db.scalar(query))


async def a_dead_letter(service: Service, *, detail: str = "its recipe is no recipe") -> str:
    """The event of a new source, which was given up."""
    await a_source(service)
    now = service.clock.now()
    async with service.db.read() as db:
        event_id = str(await db.scalar(sa.select(tables.events.c.event_id)))
    await service.db.write(lambda db: events.give_up(db, event_id, detail=detail, now=now))
    return event_id


async def _result(service: Service) -> str | None:
    async with service.db.read() as db:
        found: str | None = await db.scalar(sa.select(tables.events.c.result))
        return found


async def test_an_empty_log_says_what_will_stand_there(ask: Ask) -> None:
    assert "No event matches" in (await ask("/events")).text


async def test_an_event_is_shown_with_its_source_and_what_became_of_it(ask: Ask, service: Service) -> None:
    public_id = await a_source(service)

    text = (await ask("/events")).text

    assert "SOURCE_CREATED" in text
    assert f'<a href="/sources/{public_id}">Quay Jobs</a>' in text
    assert '<span class="badge busy">pending</span>' in text


async def test_the_log_is_narrowed_to_a_source_a_type_and_a_result(ask: Ask, service: Service) -> None:
    public_id = await a_source(service, "Quay")
    await a_source(service, "Dock")

    of_one = (await ask("/events", query={"source": public_id})).text
    of_none = (await ask("/events", query={"source": "nobody"})).text
    done = (await ask("/events", query={"result": "success", "kind": "SOURCE_CREATED"})).text

    assert ("Quay" in of_one, "Dock" in of_one) == (True, False)
    assert "No event matches" in of_none
    assert "No event matches" in done


async def test_a_dead_letter_is_shown_with_its_reason_and_can_be_retried(ask: Ask, service: Service) -> None:
    letter = await a_dead_letter(service)
    before = (await ask(LETTERS)).text

    reply = await send_form(ask, f"{LETTERS}/{letter}/retry", BROWSER_FORM)

    assert "its recipe is no recipe" in before
    assert (reply.status, reply.headers["location"]) == (303, LETTERS)
    assert "No dead letters" in (await ask(LETTERS)).text
    assert await _result(service) is None


async def test_a_dead_letter_is_discarded_after_a_question_and_stays_in_the_log(ask: Ask, service: Service) -> None:
    letter = await a_dead_letter(service)

    question = await send_form(ask, f"{LETTERS}/{letter}/discard", BROWSER_FORM)
    result_before = await _result(service)
    await send_form(ask, f"{LETTERS}/{letter}/discard", BROWSER_FORM, confirmed="1")

    assert "Discard this event?" in question.text
    assert result_before == "error"
    assert "No dead letters" in (await ask(LETTERS)).text
    assert "discarded by local; it had failed: its recipe is no recipe" in (await ask("/events")).text


async def test_what_came_from_outside_is_never_markup(ask: Ask, service: Service) -> None:
    await a_dead_letter(service, detail=HOSTILE)
    await a_source(service, HOSTILE)

    for path in ("/events", LETTERS):
        assert "<img" not in (await ask(path)).text, path


async def test_a_letter_that_is_not_there_is_not_found(ask: Ask) -> None:
    for verb in ("retry", "discard"):
        reply = await send_form(ask, f"{LETTERS}/{uuid4()}/{verb}", BROWSER_FORM, confirmed="1")
        assert reply.status == 404, verb


class TestWithAStreamThatIsAway:
    """Events go through Redis, which does not answer."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        """The same installation, with a stream."""
        return load({}, data_dir=settings.data_dir, min_delay_ms=0, events_url="redis://127.0.0.1:9/0")

    async def test_the_pages_say_so_and_show_what_is_known(self, ask: Ask) -> None:
        letters, log = await ask(LETTERS), await ask("/events")

        assert (letters.status, log.status) == (200, 200)
        assert "try again when it is back" in letters.text
        assert "but does not answer" in log.text
