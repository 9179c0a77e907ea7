"""deploy/grafana: four rows of four panels, each of which shows something when Prometheus asks a fleet at work."""

import json
import math
import re
import shutil
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

from tests.deploy.files import FOLDER, SERVICES
from tests.origin import Answer, ThreadedOrigin
from tests.repository import ROOT
from tests.servers.prometheus import Prometheus, prometheus
from tests.servers.sharing import free_port
from tests.service.forked import Forked

T = TypeVar("T")
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "grafana" / "dashboards" / "lamplighter.json").read_text())
ROWS = [panel["title"] for panel in DASHBOARD["panels"] if panel["type"] == "row"]
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
PATIENCE_SECONDS = 120
#: what a test waits for in a few seconds, an operator looks at for hours
SPAN_SECONDS = 60
POSTING = (
    '<html><head><script type="application/ld+json">{"@type": "JobPosting", "title": "Lamplighter", "datePosted": '
    '"2026-03-01", "hiringOrganization": {"name": "Quay"}, "description": "Lights lamps."}</script></head></html>'
)


def test_there_are_four_rows_of_four_panels() -> None:
    by_row = [[panel["title"] for panel in PANELS if panel["gridPos"]["y"] == 9 * row + 1] for row in range(4)]

    assert ROWS == ["Event pipeline", "Job lifecycle", "Scheduler", "Crawl"]
    assert [len(panels) for panels in by_row] == [4, 4, 4, 4]
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(ROWS) + len(PANELS)


def test_grafana_finds_the_dashboard_where_compose_puts_it() -> None:
    (provider,) = yaml.safe_load((FOLDER / "grafana/provisioning/dashboards/lamplighter.yaml").read_text())["providers"]

    assert f"./grafana/dashboards:{provider['options']['path']}:ro" in SERVICES["grafana"]["volumes"]


class Fleet:
    """`serve` for people, `worker` for the rounds, on one database, and a site with a good and a bad page."""

    def __init__(self, site: ThreadedOrigin, serve: str, worker: str) -> None:
        self.site = site
        self.serve = serve
        self.worker = worker

    def ask(self, path: str, json_body: Any = None, *, method: str | None = None) -> Any:
        """The JSON that the API answers."""
        body = json.dumps(json_body).encode() if json_body is not None else b"" if method == "POST" else None
        request = urllib.request.Request(
            f"http://{self.serve}{path}", data=body, headers={"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def metrics(self, address: str) -> str:
        """What a process tells of itself."""
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
            text: str = answer.read().decode()
            return text

    def watch(self, path: str) -> str:
        """Adds a source of the site; returns its id."""
        about = {"name": path.strip("/"), "url": self.site.url + path}
        added: dict[str, str] = self.ask("/api/v1/sources", about)
        return added["id"]

    def runs(self, source_id: str) -> list[str]:
        """How the runs of a source ended."""
        try:
            found = self.ask(f"/api/v1/jobs/by-source/{source_id}")
        except urllib.error.HTTPError:  # it has no job yet
            return []
        return [each["status"] for each in found["recent_executions"] if each["status"] != "running"]

    def run_now(self, source_id: str) -> None:
        """Has a source run once more, and waits for the end of it."""
        before = len(self.runs(source_id))
        job_id = self.ask(f"/api/v1/jobs/by-source/{source_id}")["job"]["id"]
        self.ask(f"/api/v1/jobs/{job_id}/force-run", method="POST")
        until(lambda: len(self.runs(source_id)) > before)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory, migrated_file: Path) -> Iterator[Fleet]:
    """Two processes that show what they count."""
    folder = tmp_path_factory.mktemp("fleet")
    shutil.copyfile(migrated_file, folder / "lamplighter.db")
    with ThreadedOrigin() as site:
        site.page("/good", POSTING)
        site.page("/counted", POSTING)
        site.route("/bad", Answer(status=500))
        serve, worker = free_port(), free_port()
        told = {
            "LAMPLIGHTER_DATA_DIR": str(folder),
            "LAMPLIGHTER_ALLOW_HOSTS": site.address,
            "LAMPLIGHTER_CONTACT_EMAIL": "owner@lamplighter.example",
            "LAMPLIGHTER_MIN_DELAY_MS": "0",
            "LAMPLIGHTER_POLL_SECONDS": "0.2",
            "LAMPLIGHTER_METRICS_SECONDS": "0.5",
            "LAMPLIGHTER_REQUEST_RETRIES": "0",
            "LAMPLIGHTER_PAGE_RETRIES": "0",
            "LAMPLIGHTER_GRACE_SECONDS": "1",
            "LAMPLIGHTER_PORT": str(serve),
            "PYTHONPATH": str(ROOT / "src"),
        }
        for_people = {**told, "LAMPLIGHTER_DUTIES": "schedule"}
        for_rounds = {**told, "LAMPLIGHTER_METRICS_PORT": str(worker)}
        with _process(folder / "serve.log", "serve", for_people), _process(folder / "worker.log", "worker", for_rounds):
            until(lambda: _answers(serve) and _answers(worker), otherwise=lambda: _logs(folder))
            yield Fleet(site, f"127.0.0.1:{serve}", f"127.0.0.1:{worker}")


def test_every_panel_shows_something_of_a_fleet_at_work(fleet: Fleet, tmp_path: Path) -> None:
    with prometheus(tmp_path, [fleet.serve, fleet.worker]) as server:
        until(lambda: len(server.now('up{job="lamplighter"} == 1')) == 2)
        good, bad = fleet.watch("/good"), fleet.watch("/bad")
        until(lambda: fleet.runs(good) and fleet.runs(bad))
        until(lambda: server.now('crawler_crawl_duration_seconds_count{source_name="bad"}'))
        fleet.ask(f"/api/v1/sources/{good}", {"priority": "critical"}, method="PATCH")
        fleet.run_now(bad)
        fleet.run_now(good)

        until(lambda: not _empty(server), otherwise=lambda: _empty(server))
        assert server.now("max(crawler_jobs_in_backoff)")[0]["value"][1] == "1"


def test_what_processes_count_adds_up_and_what_the_database_knows_is_told_by_one_kind(fleet: Fleet) -> None:
    asked_before, fetched_before = _pages_asked(fleet), _fetched(fleet)
    counted = fleet.watch("/counted")
    until(lambda: fleet.runs(counted))
    fleet.run_now(counted)

    serve, worker = fleet.metrics(fleet.serve), fleet.metrics(fleet.worker)

    assert _pages_asked(fleet) - asked_before == 2 == _fetched(fleet) - fetched_before
    ended = 'crawler_crawl_duration_seconds_count{source_name="counted",status="success"}'
    assert (_value(serve, ended), _value(worker, ended)) == (None, 2)
    assert (_value(serve, "crawler_jobs_due"), _value(worker, "crawler_jobs_due")) == (0, None)
    assert _value(worker, "crawler_disk_free_bytes")


def _pages_asked(fleet: Fleet) -> int:
    return sum(hit.path != "/robots.txt" for hit in fleet.site.log)


def _fetched(fleet: Fleet) -> float:
    """What the processes say together."""
    got = re.compile(r'^crawler_fetches_total\{outcome="(?:fetched|not_modified)",.*\} (.*)$', re.MULTILINE)
    texts = [fleet.metrics(address) for address in (fleet.serve, fleet.worker)]
    return sum(float(value) for text in texts for value in got.findall(text))


def _value(text: str, series: str) -> float | None:
    found = re.search(rf"^{re.escape(series)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else None


def _empty(server: Prometheus) -> list[str]:
    """Panels of which some query finds nothing yet."""
    return [
        f"{panel['title']}: {target['expr']}"
        for panel in PANELS
        for target in panel["targets"]
        if not _finds_something(server, target)
    ]


def _finds_something(server: Prometheus, target: dict[str, Any]) -> bool:
    query = target["expr"].replace("$__rate_interval", "10s")
    if target["instant"]:
        series = [each["value"] for each in server.now(query)]
    else:
        series = [value for each in server.lately(query, seconds=SPAN_SECONDS) for value in each["values"]]
    # How fast something is counted that was counted is never nought; a gauge may well be.
    least = math.ulp(0.0) if re.search(r"\b(rate|increase)\(", query) else -math.inf
    return any(math.isfinite(float(value)) and float(value) >= least for _, value in series)


def until(look: Callable[[], T], *, otherwise: Callable[[], object] = lambda: "it did not come to that") -> T:
    """What `look` finds, as soon as it finds something; `otherwise` says what is amiss."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while not (found := look()):
        assert time.monotonic() < give_up, otherwise()
        time.sleep(0.2)
    return found


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=60):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False


def _logs(folder: Path) -> str:
    return "\n".join(path.read_text()[-2000:] for path in folder.glob("*.log"))


@contextmanager
def _process(log: Path, command: str, environment: Mapping[str, str]) -> Iterator[None]:
    process = Forked([command], env=environment, log=log)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)
