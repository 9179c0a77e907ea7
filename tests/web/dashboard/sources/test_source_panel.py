"""What does the panel of a source show, and what can be done there?"""

from datetime import timedelta
from urllib.parse import urlencode
from uuid import uuid4

import pytest

from lamplighter.app import Store
from lamplighter.model.access import Stamp
from lamplighter.model.crawl import CrawlJob, JobState, PauseReason, RunOutcome
from lamplighter.model.source import Source
from lamplighter.operations.hosts import takedowns
from lamplighter.operations.jobs import jobs
from lamplighter.operations.runs import runs
from lamplighter.store.engine.database import Connection
from lamplighter.store.jobs import crawl_jobs
from lamplighter.store.runs import crawl_runs
from lamplighter.web.view import ServiceView
from tests.changing import set_job
from tests.web.asgi_client import Ask, Reply
from tests.web.dashboard.sources.given_sources import PANEL, path_of, watched
from tests.web.forms import FORM


async def ran(store: Store, view: ServiceView, source: Source, outcome: RunOutcome, message: str) -> None:
    """A run of the source that ended so."""
    now = store.clock.now()

    async def step(db: Connection) -> None:
        run = await runs.run_now(
            db, source.id, now=now, deadline=timedelta(hours=1), source_defaults=view.source_defaults
        )
        await crawl_runs.close(db, run, now=now, outcome=outcome, message=message, records_shown=0)
        job = await crawl_jobs.of_source(db, source.id)
        assert job is not None
        await set_job(db, job.id, now=now, state=JobState.SCHEDULED)

    await store.db.write(step)


async def post(ask: Ask, path: str, *, scripted: bool = False, **fields: object) -> Reply:
    """Sends a form, as a browser does or as a script of ours does."""
    headers = FORM | ({"hx_request": "true"} if scripted else {"accept": "text/html"})
    return await ask(path, method="POST", body=urlencode(fields).encode(), **headers)


async def job_of(store: Store, source: Source) -> CrawlJob:
    """Its crawl job as it is by now."""
    async with store.db.read() as db:
        found = await crawl_jobs.of_source(db, source.id)
    assert found is not None
    return found


async def test_it_is_a_page_for_whoever_opens_it_and_a_part_for_the_panel(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await watched(store, view)

    page, part = await ask(path_of(source)), await ask(path_of(source), **PANEL)

    assert "<html" in page.text
    assert "data-close-panel" not in page.text
    assert "<html" not in part.text
    assert "data-close-panel" in part.text
    assert f'hx-get="{path_of(source)}/runs"' in part.text


async def test_it_says_when_the_source_runs_next_and_why(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)

    text = (await ask(path_of(source))).text

    assert "As soon as possible: it has not run yet." in text
    assert "No visits were observed yet; it will be visited at an interval learned from its changes." in text


async def test_what_holds_comes_with_who_said_so(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view, windows_text="22:00-05:00", max_pages=7, interval=timedelta(hours=5))

    text = " ".join((await ask(path_of(source))).text.split())

    assert 'at most 7 <span class="quiet">this source</span>' in text
    assert "initial interval 5 h (this source)" in text
    assert "22:00-05:00" in text
    assert "0 ms" in text
    assert "the installation&#39;s default" in text


async def test_runs_of_the_day_are_ticks_that_lead_to_them(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    await ran(store, view, source, RunOutcome.WARN, "2 pages <b>not had")

    text = (await ask(path_of(source))).text

    assert text.count('<rect class="fair" x="') == 2
    assert 'aria-label="Run 1, ' in text
    assert "2 pages &lt;b&gt;not had" in text
    assert "<b>not had" not in text


async def test_what_is_impossible_has_no_button(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    fresh = (await ask(path_of(source))).text
    await post(ask, f"{path_of(source)}/pause")

    paused = (await ask(path_of(source))).text

    assert f"{path_of(source)}/pause" in fresh
    assert f"{path_of(source)}/resume" not in fresh
    assert f"{path_of(source)}/pause" not in paused
    assert f"{path_of(source)}/resume" in paused


async def test_a_pause_may_end_by_itself(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)

    reply = await post(ask, f"{path_of(source)}/pause", pause_hours="6")

    assert (reply.status, reply.headers["location"]) == (303, path_of(source))
    job = await job_of(store, source)
    assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.USER)
    assert job.resume_at is not None
    assert timedelta(hours=5) < job.resume_at - store.clock.now() <= timedelta(hours=6)
    assert "it resumes automatically" in (await ask(path_of(source))).text
    assert "As soon as its pause ends." in (await ask(path_of(source))).text


@pytest.mark.parametrize("hours", ["soon", "-1", "99999999"])
async def test_a_pause_of_nonsense_is_told_beside_its_field(
    ask: Ask, store: Store, view: ServiceView, hours: str
) -> None:
    source = await watched(store, view)

    reply = await post(ask, f"{path_of(source)}/pause", pause_hours=hours)

    assert reply.status == 422
    assert '<span class="fault" id="pause_hours-about" role="alert">' in reply.text
    assert (await job_of(store, source)).state is JobState.PENDING


async def test_a_script_is_told_and_the_panel_renews_itself(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    await post(ask, f"{path_of(source)}/pause")

    reply = await post(ask, f"{path_of(source)}/resume", scripted=True)

    assert reply.status == 204
    assert '"lamp:panel"' in reply.headers["hx-trigger"]
    assert "Resumed." in reply.headers["hx-trigger"]


async def test_what_is_not_possible_is_refused_with_what_is(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    await post(ask, f"{path_of(source)}/pause")

    reply = await post(ask, f"{path_of(source)}/pause")

    assert reply.status == 409
    assert "from here it can only resume, cancel or force-run" in reply.text


async def test_an_interval_set_by_hand_shows_until_it_is_given_back(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    await post(ask, f"{path_of(source)}/override", every_minutes="90", keeps_exactly="1")

    by_hand = " ".join((await ask(path_of(source))).text.split())
    await post(ask, f"{path_of(source)}/automatic")

    assert "An operator set its schedule by hand: every 90 min, exactly." in by_hand
    assert "An operator set its schedule by hand" not in (await ask(path_of(source))).text


@pytest.mark.parametrize("minutes", ["", "often", "0", "1e300", "nan"])
async def test_an_impossible_interval_comes_back_as_it_was_typed(
    ask: Ask, store: Store, view: ServiceView, minutes: str
) -> None:
    source = await watched(store, view)

    reply = await post(ask, f"{path_of(source)}/override", every_minutes=minutes)

    assert reply.status == 422
    assert f'name="every_minutes" type="text" value="{minutes}"' in reply.text
    assert 'id="every_minutes-about" role="alert"' in reply.text
    assert '<details class="drop" id="drop-override" open>' in reply.text


async def test_a_deleted_source_stays_with_what_it_brought_and_can_be_restored(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await watched(store, view)
    question = await post(ask, f"{path_of(source)}/delete")
    asked = await post(ask, f"{path_of(source)}/delete", confirmed="1")

    deleted = (await ask(path_of(source))).text
    await post(ask, f"{path_of(source)}/restore")

    assert "Its data stays: 0 records" in question.text
    assert asked.headers["location"] == path_of(source)
    assert "The source was deleted and is not crawled" in deleted
    assert f"{path_of(source)}/restore" in deleted
    assert f"{path_of(source)}/run" not in deleted.replace(f"{path_of(source)}/runs", "")
    assert "The source was deleted" not in (await ask(path_of(source))).text


async def test_the_reason_for_which_it_is_disabled_stands_beside_it(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    await post(ask, f"{path_of(source)}/disable", disable_reason="the <i>board</i> moved")

    text = (await ask(path_of(source))).text

    assert "It was disabled by local: the &lt;i&gt;board&lt;/i&gt; moved" in text
    assert f"{path_of(source)}/enable" in text


async def test_priority_and_tags_are_set_from_the_head(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    await post(ask, f"{path_of(source)}/priority", set_priority="high")
    await post(ask, f"{path_of(source)}/tags", set_tags="harbour, night")

    text = (await ask(path_of(source))).text
    faulty = await post(ask, f"{path_of(source)}/tags", set_tags="a/b")

    assert 'href="/?tag=harbour"' in text
    assert 'href="/?tag=night"' in text
    assert 'value="high"' in text
    assert faulty.status == 422
    assert 'value="a/b"' in faulty.text


async def test_a_clone_leads_to_the_new_source_and_a_known_url_is_told(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await watched(store, view)

    made = await post(ask, f"{path_of(source)}/clone", clone_url="example.org/other", clone_name="Other")
    known = await post(ask, f"{path_of(source)}/clone", clone_url=source.url)

    assert made.status == 303
    assert "Other" in (await ask(made.headers["location"])).text
    assert known.status == 422
    assert "is already source" in known.text
    assert f'value="{source.url}"' in known.text


async def test_a_job_that_was_cancelled_can_begin_again(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    job = await job_of(store, source)
    await store.db.write(lambda db: jobs.cancel(db, job, stamp=Stamp("test", store.clock.now())))
    cancelled = (await ask(path_of(source))).text

    await post(ask, f"{path_of(source)}/start")

    assert "An operator cancelled its crawl job" in cancelled
    assert f"{path_of(source)}/start" in cancelled
    begun = await job_of(store, source)
    assert (begun.state, begun.auto_managed) == (JobState.PENDING, True)


async def test_a_run_that_goes_on_shows_how_far_it_is(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)

    await post(ask, f"{path_of(source)}/run")

    text = " ".join((await ask(path_of(source))).text.split())
    assert '<div id="source-live" data-running>' in text
    assert '<span class="number">0 of 1</span> page, <span class="number">0</span> records so far' in text


async def test_its_runs_and_what_was_told_of_it_are_listed(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    await ran(store, view, source, RunOutcome.FAIL, "the <script>host</script> is away")

    text = (await ask(f"{path_of(source)}/runs")).text

    assert "the &lt;script&gt;host&lt;/script&gt; is away" in text
    assert "source created" in text
    assert f"/events?source={source.public_id}" in text


async def test_an_empty_history_says_what_to_do(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)

    text = (await ask(f"{path_of(source)}/runs")).text

    assert "It has not run yet; &#34;Run now&#34; above starts a run." in text.replace('"', "&#34;")


async def test_a_name_of_markup_stays_text(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view, name='"><script>alert(1)</script>', tags=("<img src=x>",))

    for path in ("", "/runs", "/edit"):
        text = (await ask(path_of(source) + path)).text
        assert "<script>alert" not in text
        assert "<img" not in text


@pytest.mark.parametrize("path", ["", "/runs", "/edit", "/windows"])
async def test_of_an_unknown_source_there_is_nothing(ask: Ask, path: str) -> None:
    assert (await ask(f"/sources/{uuid4()}{path}")).status == 404


@pytest.mark.parametrize(
    "act",
    [
        *("run", "pause", "resume", "start", "enable", "disable", "delete", "restore", "priority", "tags", "clone"),
        *("override", "automatic", "edit"),
    ],
)
async def test_nothing_can_be_done_with_an_unknown_source(ask: Ask, act: str) -> None:
    assert (await post(ask, f"/sources/{uuid4()}/{act}")).status == 404


async def test_a_source_whose_job_was_deleted_can_be_enabled_anew(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    job = await job_of(store, source)
    await store.db.write(lambda db: jobs.delete(db, job, stamp=Stamp("test", store.clock.now())))

    text = (await ask(path_of(source))).text
    await post(ask, f"{path_of(source)}/enable")

    assert "An operator deleted its crawl job" in text
    assert (await job_of(store, source)).deleted_at is None


async def test_a_source_under_a_takedown_offers_no_run_and_says_why(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    await store.db.write(lambda db: takedowns.add(db, "example.org", stamp=Stamp("test", store.clock.now())))

    text = (await ask(path_of(source))).text
    refused = await post(ask, f"{path_of(source)}/run", scripted=True)

    assert "Run now" not in text
    assert "<code>example.org</code> is on the" in text
    assert refused.status == 409
    assert "example.org is on the takedown list; lift the takedown first" in refused.text


async def test_a_source_that_a_person_paused_offers_no_run_under_a_takedown_either(
    ask: Ask, store: Store, view: ServiceView
) -> None:
    source = await watched(store, view)
    await post(ask, f"{path_of(source)}/pause", pause_hours="")
    await store.db.write(lambda db: takedowns.add(db, "example.org", stamp=Stamp("test", store.clock.now())))

    assert "Run now" not in (await ask(path_of(source))).text


async def test_a_running_source_is_stopped_or_paused_from_its_page(ask: Ask, store: Store, view: ServiceView) -> None:
    source = await watched(store, view)
    path = path_of(source)
    await post(ask, f"{path}/run")

    shown = await ask(path, accept="text/html")
    await post(ask, f"{path}/stop")
    stopped = await job_of(store, source)
    await post(ask, f"{path}/run")
    await post(ask, f"{path}/pause", stop_run="1")
    paused = await job_of(store, source)

    assert f'action="{path}/stop"' in shown.text
    assert 'name="stop_run"' in shown.text
    assert "Run now" not in shown.text
    assert (stopped.state, paused.state) == (JobState.SCHEDULED, JobState.PAUSED)
    async with store.db.read() as db:
        assert await crawl_runs.open_of_job(db, paused.id) is None
    assert f'action="{path}/stop"' not in (await ask(path, accept="text/html")).text
