"""What would happen to a URL, as the page tells it."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest

from lamplighter.app import Store
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import JobState, PauseReason
from lamplighter.model.page import Phase
from lamplighter.operations.hosts import takedowns
from lamplighter.settings import Settings, load
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from tests.changing import set_job
from tests.origin import Origin
from tests.service.sites import posting_html
from tests.store.given_rows import a_run, some_pages
from tests.web.asgi_client import Ask, Reply
from tests.web.forms import FORM


@pytest.fixture
def settings(tmp_path: Path, migrated_file: Path) -> Settings:
    """An installation that may ask sites on loopback."""
    (tmp_path / "lamplighter.db").write_bytes(migrated_file.read_bytes())
    contact = "https://b.example/bot"
    return load({}, data_dir=tmp_path, allow_hosts="127.0.0.0/8", min_delay_ms=2000, contact_url=contact)


async def told(ask: Ask, url: str) -> str:
    reply = await ask("/explain", query={"url": url})
    assert reply.status == 200
    return " ".join(reply.text.split())


async def ask_now(ask: Ask, url: str, **headers: str) -> Reply:
    return await ask("/explain", method="POST", body=urlencode({"url": url}).encode(), **FORM, **headers)


async def _known_page(db: Connection) -> None:
    source_id, run_id = await a_run(db)
    await some_pages(
        db, source_id, run_id, "/1", phase=Phase.FAILED, status=404, reason="not_found", detail="HTTP <404>"
    )


async def test_without_a_url_it_asks_for_one(ask: Ask) -> None:
    reply = await ask("/explain")

    assert reply.status == 200
    assert "No request is sent to the site" in reply.text


async def test_of_a_url_that_nobody_knows_it_tells_what_would_be(ask: Ask, origin: Origin) -> None:
    text = await told(ask, f"{origin.url}/jobs")

    assert "would be fetched if robots.txt allows it" in text
    assert "No source watches this URL" in text
    assert "2 s</strong> between requests at least" in text
    assert "the installation&#39;s default" in text
    assert f'href="/sources/add?url={origin.url.replace(":", "%3A")}/jobs"' in text
    assert origin.log == []


async def test_of_a_known_page_it_tells_everything_that_has_a_say(ask: Ask, store: Store) -> None:
    await store.db.write(_known_page)

    text = await told(ask, "a.example/1")

    assert 'href="/hosts/a.example"' in text
    assert 'href="/sources/' in text
    assert 'href="/pages/1"' in text
    assert 'href="/runs/' in text
    assert "not found: HTTP &lt;404&gt;" in text
    assert "Linked from" in text
    assert "at any time" in text


async def test_a_takedown_is_the_first_reason(ask: Ask, store: Store) -> None:
    now = store.clock.now()
    await store.db.write(lambda db: takedowns.add(db, "a.example", reason=None, stamp=Stamp("test", now)))

    text = await told(ask, "https://a.example/1")

    assert "<strong>would not be fetched</strong>: a.example is on the takedown list." in text


async def test_an_address_inside_a_network_would_not_be_asked_for(ask: Ask) -> None:
    text = await told(ask, "http://10.0.0.1/")

    assert "<strong>would not be fetched</strong>: 10.0.0.1 is not a public address (private)" in text


async def test_a_paused_source_plans_no_run(ask: Ask, store: Store) -> None:
    await store.db.write(_known_page)
    async with store.db.read() as db:
        job = await crawl_jobs.of_source(db, 1)
    assert job is not None
    pause = {"pause_reason": PauseReason.USER, "next_run_at": store.clock.now() + timedelta(hours=1)}
    await store.db.write(lambda db: set_job(db, job.id, now=store.clock.now(), **pause))

    text = await told(ask, "https://a.example/1")

    assert "none is planned" in text
    assert '<span class="quiet">user</span>' in text


@pytest.mark.parametrize(
    ("state", "ahead", "said"),
    [
        pytest.param(JobState.RUNNING, -1, "is being crawled", id="a run goes on"),
        pytest.param(JobState.SCHEDULED, -1, "is due", id="its time has come"),
        pytest.param(JobState.SCHEDULED, 3, "runs next <time", id="its time will come"),
    ],
)
async def test_the_verdict_says_when(ask: Ask, store: Store, state: JobState, ahead: int, said: str) -> None:
    await store.db.write(_known_page)
    planned = {"state": state, "next_run_at": store.clock.now() + timedelta(hours=ahead)}
    await store.db.write(lambda db: set_job(db, 1, now=store.clock.now(), **planned))

    verdict = (await told(ask, "https://a.example/1")).partition('class="verdict')[2].partition("</p>")[0]

    assert said in verdict


@pytest.mark.parametrize(
    "bad", ["ftp://a.example/", "https://", "rubbish", "<script>alert(1)</script>", "https://a b/"]
)
async def test_what_is_no_url_is_said_beside_the_field(ask: Ask, bad: str) -> None:
    reply = await ask("/explain", query={"url": bad})

    assert reply.status == 422
    assert 'id="url-about" role="alert">' in reply.text
    assert "<script>alert" not in reply.text


async def test_the_site_is_asked_only_when_somebody_says_so(ask: Ask, origin: Origin) -> None:
    origin.page("/job", posting_html(1, title="<b>Pilot</b>"))
    await told(ask, f"{origin.url}/job")
    before = list(origin.log)

    reply = await ask_now(ask, f"{origin.url}/job")

    assert before == []
    assert len(origin.hits("/job")) == 1
    assert "<html" in reply.text
    assert "<b>Pilot" not in reply.text
    assert "allows it" in reply.text


async def test_a_script_gets_the_answer_alone(ask: Ask, origin: Origin) -> None:
    reply = await ask_now(ask, f"{origin.url}/job", hx_request="true", hx_target="trial")

    assert "<html" not in reply.text
    assert '<span class="badge bad">404</span> HTTP 404' in " ".join(reply.text.split())


async def test_what_is_no_url_is_not_asked_for(ask: Ask) -> None:
    assert (await ask_now(ask, "nonsense://x")).status == 422
