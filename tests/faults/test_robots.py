"""Rows C of the fault matrix: whatever a robots.txt says, or fails to say, nothing is asked that it does not allow."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from lamplighter.app import Service
from lamplighter.fetch import robots_cache
from lamplighter.model.crawl import RunOutcome
from lamplighter.store.alerts import alert_hosts
from lamplighter.store.schema import tables
from tests.faults.certificates import Authority
from tests.faults.conftest import Site
from tests.faults.crawl_outcome import all_crawled, crawled, crawled_again, host_with, see
from tests.faults.name_server import NameServer
from tests.fetch.client_stack import TOLERANCE
from tests.origin import Answer, Origin, busy, hang, redirect
from tests.service.in_process import asked, first_run, host_of, watch
from tests.service.sites import job_board, links_html, posting_html
from tests.service.waiting import asked_for, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETTINGS = {"read_timeout_seconds": 4, "max_concurrency": 4}
PRIVATE = "User-agent: *\nDisallow: /private\n"


async def test_c1_without_a_robots_txt_everything_may_be_asked_and_every_page_says_so(
    service: Service, site: Site
) -> None:
    statuses = (404, 410, 400, 401, 403)
    sites = [await site() for _ in statuses]
    for origin, status in zip(sites, statuses, strict=True):
        origin.page("/job", posting_html(1))
        origin.robots("User-agent: *\nDisallow: /\n", status=status)

    seen = await all_crawled(service, *(origin.url + "/job" for origin in sites), max_depth=0)

    for found, origin, status in zip(seen, sites, statuses, strict=True):
        assert found.titles == ["Posting 01"], found.message
        assert [hit.path for hit in origin.log] == ["/robots.txt", "/job"]
        assert found.pages["/job"].robots_rule == f"no robots.txt (HTTP {status})"


async def test_c2_where_the_robots_txt_cannot_be_had_nothing_is_asked_and_soon_looked_again(
    service: Service, site: Site, names: NameServer
) -> None:
    failing = {"HTTP 500": busy(500), "HTTP 502": busy(502), "HTTP 503": busy(503), "timed out": hang()}
    sites = [await site() for _ in failing]
    for origin, answer in zip(sites, failing.values(), strict=True):
        origin.route("/robots.txt", answer)
        origin.page("/jobs", posting_html(1))
    closed = await site()
    await closed.close()
    addresses = [*(origin.url for origin in sites), closed.url, "http://unknown.example"]

    seen = await all_crawled(service, *(address + "/jobs" for address in addresses))

    for found, address, why in zip(
        seen, addresses, (*failing, "could not connect", "could not be resolved"), strict=True
    ):
        assert found.run.outcome is RunOutcome.FAIL
        assert found.message.startswith(f"robots_unreachable: {address}/robots.txt could not be fetched")
        assert why in found.message
        assert (found.pages["/jobs"].reason, found.run.tally.pages_refused) == ("robots_unreachable", 1)
        # Not paused, as it would be where robots.txt says no.
        assert (found.job.state, found.job.pause_reason) == ("pending", None)
        file = await _robots_file(service, address)
        assert file.expires_at - file.fetched_at == timedelta(minutes=1)
    assert [[hit.path for hit in origin.log] for origin in sites] == [["/robots.txt"]] * len(sites)


async def _robots_file(service: Service, origin: str) -> Any:
    query = sa.select(tables.robots_files).where(tables.robots_files.c.origin == origin)
    async with service.db.read() as db:
        return (await db.execute(query)).one()


async def test_c3_a_busy_robots_txt_forbids_everything_for_as_long_as_it_asks(service: Service, site: Site) -> None:
    origin = await site()
    origin.route("/robots.txt", busy(retry_after="120"))
    origin.page("/jobs", posting_html(1))

    before = service.clock.now()
    seen = await crawled(service, origin.url + "/jobs")
    again = await crawled_again(service, seen)
    host, file = await host_with(service, "blocked_until", origin.address), await _robots_file(service, origin.url)

    assert seen.message.startswith("robots_unreachable")
    assert "HTTP 429 with Retry-After: 120" in seen.message
    assert again.run.outcome is RunOutcome.FAIL
    assert [hit.path for hit in origin.log] == ["/robots.txt"]
    asked_for = timedelta(seconds=120)
    for until_then in (host.blocked_until, file.expires_at):
        assert before + asked_for < until_then <= service.clock.now() + asked_for


@pytest.mark.usefixtures("nothing_in_memory")
async def test_c4_after_a_month_without_one_the_last_good_copy_is_kept_and_still_nothing_asked(
    service: Service, site: Site
) -> None:
    origin = await site()
    origin.route("/robots.txt", Answer(body=PRIVATE.encode()), busy(503))
    origin.page("/job", posting_html(1))

    seen = await crawled(service, origin.url + "/job", max_depth=0)
    await _age_robots(service, origin, days=1)
    lost = await crawled_again(service, seen)
    await _age_robots(service, origin, days=31)
    still_lost = await crawled_again(service, lost)
    file = await _robots_file(service, origin.url)
    async with service.db.read() as db:
        told = {each.origin for each in await alert_hosts.lost_robots(db, limit=99)}

    assert seen.titles == ["Posting 01"]
    assert [hit.path for hit in origin.log] == ["/robots.txt", "/job", "/robots.txt", "/robots.txt"]
    assert [each.message.split(":")[0] for each in (lost, still_lost)] == ["robots_unreachable"] * 2
    assert (file.state, file.body, file.failure_count) == ("unreachable", PRIVATE.encode(), 2)
    assert origin.url in told


@pytest.fixture
def nothing_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every robots.txt is read from the database, where a test can make it older."""
    monkeypatch.setattr(robots_cache, "KEPT_IN_MEMORY", 0)


async def _age_robots(service: Service, origin: Origin, *, days: int) -> None:
    """As if the robots.txt had been asked for so much earlier."""
    file = await _robots_file(service, origin.url)
    earlier = {name: getattr(file, name) - timedelta(days=days) for name in ("fetched_at", "expires_at")}
    files = tables.robots_files
    change = sa.update(files).where(files.c.origin == origin.url).values(earlier)

    await service.db.write(lambda db: db.execute(change))


async def test_c5_five_redirects_lead_to_rules_for_the_first_host_and_a_sixth_to_none(
    service: Service, site: Site
) -> None:
    further, near, *others = [await site() for _ in range(7)]
    for origin, target in zip((further, near, *others), (near, *others, None), strict=True):
        if target is not None:
            origin.route("/robots.txt", redirect(target.url + "/robots.txt"))
    others[-1].robots(PRIVATE)
    for origin in (further, near, others[-1]):
        origin.page("/private", posting_html(1))

    lax = await crawled(service, further.url + "/private", max_depth=0)
    strict = await crawled(service, near.url + "/private", max_depth=0)

    assert lax.titles == ["Posting 01"], lax.message
    assert asked(further) == ["/private"]
    assert "robots disallow: 'Disallow: /private'" in strict.message
    assert asked(near) == []
    assert all(asked(origin) == [] for origin in others)


async def test_c6_rules_count_up_to_500_kib_and_a_cut_line_does_not(service: Service, site: Site) -> None:
    sites = {size: await site() for size in (499 * 1024, 500 * 1024 - 20, 550 * 1024)}
    start, rule = b"User-agent: *\n", b"Disallow: /private/with/a/long/name\n"
    for size, origin in sites.items():
        filler = b"#" * (size - len(start) - 1) + b"\n"
        origin.robots(start + filler + rule + b"#" * 100 * 1024)
        origin.page("/private/with/a/long/name", posting_html(1))

    seen = await all_crawled(service, *(f"{each.url}/private/with/a/long/name" for each in sites.values()), max_depth=0)

    assert [len(asked(origin)) for origin in sites.values()] == [0, 1, 1]
    assert seen[0].message.startswith("robots_disallow")


async def test_c7_what_can_be_read_of_a_robots_txt_counts_and_a_page_is_none(service: Service, site: Site) -> None:
    text = PRIVATE.encode()
    bodies = {
        "a UTF-8 byte order mark": (b"\xef\xbb\xbf" + text, True),
        "UTF-16": (PRIVATE.encode("utf-16"), True),
        "CR only": (text.replace(b"\n", b"\r"), True),
        "NUL bytes": (b"\x00\x00" + text, True),
        "latin-1": (b"# caf\xe9\n" + text, True),
        "an HTML page": (b"<!DOCTYPE html><p>Disallow: /private</p>\nUser-agent: *\nDisallow: /\n", False),
        "an image": (b"\x89PNG\r\n\x1a\n", False),
    }
    sites = {name: await site() for name in bodies}
    for name, origin in sites.items():
        origin.route("/robots.txt", Answer(headers={"Content-Type": "text/html"}, body=bodies[name][0]))
        origin.page("/private", posting_html(1))

    await all_crawled(service, *(origin.url + "/private" for origin in sites.values()), max_depth=0)

    kept_out = {name: asked(origin) == [] for name, origin in sites.items()}
    assert kept_out == {name: is_forbidden for name, (_, is_forbidden) in bodies.items()}


async def test_c8_groups_ties_wildcards_and_encodings_are_read_as_the_standard_says(
    service: Service, site: Site
) -> None:
    origin = await site()
    origin.robots(
        "Disallow: /before-any-group\n"
        "User-agent: OtherBot\nDisallow: /\n\n"
        "User-agent: LamplighterBot\nDisallow: /a/\nSitemap: /sitemap.xml\nNonsense: yes\nDisallow: /b$\n"
        "Allow: /tie\nDisallow: /tie\n\n"
        "User-agent: *\nDisallow: /others\n\n"
        "User-agent: lamplighterbot # the same\nDisallow: /m/*.html$\nDisallow: /caf%C3%A9\nDisallow: /%7Eown\n"
        "Allow: /a/longer\n"
    )
    allowed = ("/before-any-group", "/a/longer/x", "/b/c", "/tie", "/others", "/m/x.html?y=1", "/m/x.htm")
    forbidden = ("/a/x", "/b", "/m/x.html", "/caf%C3%A9", "/~own")
    origin.page("/", links_html(*allowed, *forbidden))

    seen = await crawled(service, origin.url + "/")

    assert set(asked(origin)) == {"/", *allowed}
    assert {path for path, reason in seen.reasons().items() if reason == "robots_disallow"} == set(forbidden)
    assert seen.run.tally.pages_refused == len(forbidden)


async def test_c9_patterns_that_would_explode_are_matched_like_any_other(service: Service, site: Site) -> None:
    origin = await site()
    patterns = "".join(f"Disallow: /{'*a' * stars}$\n" for stars in range(30, 60))
    origin.robots(f"User-agent: *\n{patterns}")
    hard, forbidden = f"/{'a' * 80}b", f"/{'a' * 80}"
    origin.page("/", links_html(hard, forbidden))
    origin.page(hard, posting_html(1))

    seen = await crawled(service, origin.url + "/", max_depth=1)

    assert seen.titles == ["Posting 01"], seen.message
    assert seen.pages[forbidden].reason == "robots_disallow"
    assert asked(origin) == ["/", hard]


async def test_c10_the_longest_delay_holds_and_nonsense_is_ignored(service: Service, site: Site) -> None:
    delays = {"0.01": 0.05, "0.2": 0.2, "abc": 0.05, "-7": 0.05}
    sites = {text: await site() for text in (*delays, "10", "86400")}
    for text, origin in sites.items():
        origin.robots(f"User-agent: *\nCrawl-delay: {text}\nRequest-rate: 1/5\nVisit-time: 0600-0845\n")
        origin.page("/job", posting_html(1))

    for text in ("10", "86400"):
        await watch(service, sites[text].url + "/job", max_depth=0)
    seen = await all_crawled(service, *(sites[text].url + "/job" for text in delays), max_depth=0)
    hosts = [await host_with(service, "crawl_delay_ms", sites[text].address) for text in ("10", "86400")]
    slowest = await until(lambda: _given_back(service, sites["86400"]))

    assert [found.titles for found in seen] == [["Posting 01"]] * 4
    assert [sites[text].gaps()[0] >= least - TOLERANCE for text, least in delays.items()] == [True] * 4
    assert [host.crawl_delay_ms for host in hosts] == [10_000, 86_400_000]
    assert [asked(sites[text]) for text in ("10", "86400")] == [[], []]
    # Nobody sits on it for a day: it is given back until its time has come.
    assert 86_000 < (slowest.due_at - service.clock.now()).total_seconds() <= 86_400


async def _given_back(service: Service, origin: Origin) -> Any:
    """The host, once nobody holds it."""
    host = await host_of(service, origin)
    return host if host.lease_owner is None else None


@pytest.mark.usefixtures("nothing_in_memory")
async def test_c11_a_robots_txt_that_turns_to_disallow_holds_for_pages_that_already_wait(
    service: Service, site: Site
) -> None:
    origin = await site()
    slowly = "User-agent: *\nCrawl-delay: 0.2\n"
    origin.route("/robots.txt", Answer(body=slowly.encode()), Answer(body=f"{slowly}Disallow: /job\n".encode()))
    job_board(origin, postings=12, per_page=6)
    source_id = await watch(service, origin.url + "/jobs")
    await until(lambda: asked_for(origin, pages=3))

    await _age_robots(service, origin, days=2)
    seen = await see(service, await first_run(service, source_id))

    paths = [hit.path for hit in origin.log]
    turned = paths.index("/robots.txt", 1)
    assert set(paths[turned:]) == {"/robots.txt"}
    refused = [path for path, reason in seen.reasons().items() if reason == "robots_disallow"]
    assert 0 < len(refused) < 12
    assert len(refused) + len(seen.titles) == 12


async def test_c12_scheme_and_port_have_a_robots_txt_of_their_own(
    service: Service, site: Site, names: NameServer, authority: Authority
) -> None:
    plain = await site()
    other_port = await site(plain.host)
    secure = await site(plain.host, tls=authority.server("three.example"))
    names.say("three.example", plain.host)
    plain.robots("User-agent: *\nDisallow: /\n")
    other_port.robots(PRIVATE)
    for origin in (plain, other_port, secure):
        origin.page("/job", posting_html(1))
        origin.page("/private", posting_html(2))

    await all_crawled(
        service,
        *(
            f"{scheme}://three.example:{origin.port}{path}"
            for scheme, origin in (("http", plain), ("http", other_port), ("https", secure))
            for path in ("/job", "/private")
        ),
        max_depth=0,
    )

    assert [sorted(asked(origin)) for origin in (plain, other_port, secure)] == [[], ["/job"], ["/job", "/private"]]
    assert [len(origin.hits("/robots.txt")) for origin in (plain, other_port, secure)] == [1, 1, 1]


async def test_c13_many_first_pages_at_once_ask_for_the_robots_txt_once_and_in_its_turn(
    service: Service, site: Site
) -> None:
    origin = await site()
    origin.robots("")
    paths = [f"/job/{number}" for number in range(5)]
    for number, path in enumerate(paths):
        origin.page(path, posting_html(number))

    await all_crawled(service, *(origin.url + path for path in paths), max_depth=0)

    assert origin.log[0].path == "/robots.txt"
    assert sorted(asked(origin)) == paths
    assert len(origin.hits("/robots.txt")) == 1
    assert min(origin.gaps()) >= 0.05 - TOLERANCE
