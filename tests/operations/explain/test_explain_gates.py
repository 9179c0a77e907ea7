"""What keeps a URL from being asked for now: the gates of a request, in their order."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from lamplighter.adapters.clocks import DatabaseClock
from lamplighter.crawl.planning.source_defaults import SourceDefaults
from lamplighter.errors import BadUrl
from lamplighter.fetch.address_guard import AddressGuard
from lamplighter.fetch.barrier import Barrier
from lamplighter.model.access import Stamp
from lamplighter.model.host import HostChange, HostPolicy, RobotsFile, RobotsState
from lamplighter.operations.explain.explain import Explanation, explain
from lamplighter.operations.fleet import crawl_pause
from lamplighter.operations.hosts import hosts, takedowns
from lamplighter.rules.urls.addresses import AllowList
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.hosts import robots_files
from lamplighter.store.schema import tables
from tests.moments import NOON
from tests.store.given_rows import a_run, some_pages, write

URL = "https://a.example/1"
ONE = NOON.replace(hour=13, microsecond=0)


async def _told(db: Database, url: str = URL, *, allowed: str = "", has_contact: bool = True) -> Explanation:
    guard = AddressGuard(AllowList.parse(allowed))
    barrier = Barrier(db, guard=guard, clock=DatabaseClock(None), has_contact=has_contact)
    return await explain(db, url, token="lamplighter", defaults=HostPolicy(), now=NOON, barrier=barrier)


def _reasons(told: Explanation) -> list[str]:
    return [obstacle.reason for obstacle in told.obstacles]


async def _robots_said(db: Database, *lines: str) -> None:
    file = RobotsFile(
        origin="https://a.example",
        state=RobotsState.RULES,
        body="\n".join(("User-agent: *", *lines)).encode(),
        fetched_at=NOON,
        expires_at=NOON + timedelta(days=1),
        status=200,
    )
    await write(db, robots_files.save, file)


async def _shut_until_one(db: Database) -> None:
    times = {"stamp": Stamp("test", NOON), "source_defaults": SourceDefaults()}
    await write(db, hosts.set_times, "a.example", windows="13:00-14:00", **times)


async def _leave_alone(db: Connection, until: datetime) -> None:
    values = {"blocked_until": until, "block_reason": "5 failures"}
    await db.execute(sa.update(tables.hosts).where(tables.hosts.c.key == "a.example").values(values))


async def test_without_a_contact_a_stranger_is_not_even_asked_for_robots_txt(db: Database) -> None:
    told = await _told(db, has_contact=False)

    assert (told.would_be_asked, _reasons(told)) == (False, ["no_contact"])
    assert "LAMPLIGHTER_CONTACT_URL" in told.obstacles[0].why
    assert told.robots["why"] == "robots.txt is not fetched either"


async def test_without_a_contact_a_host_that_the_operator_opened_would_be_asked(db: Database) -> None:
    assert (await _told(db, allowed="a.example", has_contact=False)).would_be_asked is None


@pytest.mark.parametrize("url", ["http://10.0.0.1/", "http://127.0.0.1:9999/", "http://[::1]/", "http://0x7f.1/"])
async def test_an_address_inside_a_network_is_refused_whatever_robots_txt_may_say(db: Database, url: str) -> None:
    told = await _told(db, url)

    assert (told.would_be_asked, _reasons(told)) == (False, ["address_refused"])
    assert "LAMPLIGHTER_ALLOW_HOSTS=" in told.obstacles[0].why
    assert told.not_known == []


async def test_an_address_that_the_operator_opened_is_not_refused(db: Database) -> None:
    assert (await _told(db, "http://127.0.0.1:9999/", allowed="127.0.0.1:9999")).would_be_asked is None


async def test_of_a_name_it_is_said_that_nobody_looked_where_it_leads(db: Database) -> None:
    (sentence,) = (await _told(db)).not_known

    assert sentence.startswith("a.example is not looked up")


async def test_while_all_crawling_is_paused_nothing_would_be_asked(db: Database) -> None:
    await _robots_said(db)
    await write(db, crawl_pause.pause, reason="a storm", stamp=Stamp("Ada", NOON))

    told = await _told(db)

    assert (told.would_be_asked, _reasons(told)) == (False, ["standstill"])
    assert "a storm" in told.obstacles[0].why


async def test_while_the_window_of_the_host_is_shut_its_next_turn_is_when_it_opens(db: Database) -> None:
    await _robots_said(db)
    await _shut_until_one(db)

    told = await _told(db)

    assert (told.would_be_asked, _reasons(told)) == (False, ["window"])
    assert told.host["next_turn_at"] == told.host["window_opens_at"] == ONE.isoformat()


async def test_a_page_of_a_run_that_was_opened_in_time_is_asked_for_when_the_window_is_shut(db: Database) -> None:
    async def a_page(connection: Connection) -> None:
        await some_pages(connection, *await a_run(connection), "/1")

    await write(db, a_page)
    await _robots_said(db)
    await _shut_until_one(db)

    assert (await _told(db)).would_be_asked is True


async def test_everything_in_the_way_is_named_in_the_order_in_which_a_request_meets_it(db: Database) -> None:
    stamp = Stamp("test", NOON)
    await write(db, crawl_pause.pause, reason="", stamp=stamp)
    await _shut_until_one(db)
    await write(db, takedowns.add, "a.example", reason=None, stamp=stamp)
    await _robots_said(db, "Disallow: /1")
    await write(db, hosts.disable, "a.example", stamp=stamp)
    await write(db, _leave_alone, ONE)

    told = await _told(db, has_contact=False)

    assert _reasons(told) == [
        "standstill",
        "window",
        "no_contact",
        "takedown",
        "robots_disallow",
        "host_disabled",
        "host_breaker",
    ]
    assert told.obstacles[-1].why == "a.example is not fetched until 2026-03-14 13:00:00 UTC: 5 failures"


async def test_a_robots_txt_that_cannot_be_had_is_called_so(db: Database) -> None:
    await _robots_said(db)
    async with db.read() as connection:
        file = await robots_files.get(connection, "https://a.example")
    assert file is not None
    await write(db, robots_files.save, replace(file, state=RobotsState.UNREACHABLE, detail="503"))

    assert _reasons(await _told(db)) == ["robots_unreachable"]


async def test_whose_wish_a_delay_is_is_told(db: Database) -> None:
    before = await _told(db)
    await write(db, hosts.set_policy, "a.example", HostChange(min_delay_ms=5000), stamp=Stamp("test", NOON))

    after = await _told(db)

    assert (before.host["why"], after.host["why"]) == ("the installation's default", "the host's policy")


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        pytest.param("a.example/1", "https://a.example/1", id="a name and a path"),
        pytest.param(" a.example ", "https://a.example/", id="a name alone"),
        pytest.param("a.example:8443?b=1", "https://a.example:8443/?b=1", id="with a port"),
        pytest.param("localhost:8060", "https://localhost:8060/", id="this machine"),
        pytest.param("[2600::1]/x", "https://[2600::1]/x", id="an address"),
        pytest.param("http://intranet/x", "http://intranet/x", id="a whole URL, whatever its host"),
    ],
)
async def test_a_scheme_may_be_left_out_where_a_host_is_named(db: Database, typed: str, url: str) -> None:
    assert (await _told(db, typed)).url == url


@pytest.mark.parametrize("typed", ["rubbish", "rubbish/jobs.html", "", "/jobs"])
async def test_a_word_that_names_no_host_is_refused_with_what_would_work(db: Database, typed: str) -> None:
    with pytest.raises(BadUrl, match=r"is not a URL; write it in full, such as https://") as refused:
        await _told(db, typed)

    assert repr(typed) in str(refused.value)
