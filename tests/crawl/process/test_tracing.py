"""Traces of runs arrive where they are sent; switched off, nothing of OpenTelemetry is even loaded."""

import builtins
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from lamplighter import tracing
from lamplighter.errors import BadSetting
from tests.origin import Answer, Origin
from tests.proxies import HttpProxy
from tests.service.in_process import crawl, going, quick_settings
from tests.service.sites import job_board

SECRET = "cana-ry"


class Collector:
    """Takes spans over OTLP/HTTP, as an OpenTelemetry collector does."""

    def __init__(self) -> None:
        spans = self.spans = list[Any]()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = ExportTraceServiceRequest.FromString(body)
                for resource in request.resource_spans:
                    for scope in resource.scope_spans:
                        spans.extend(scope.spans)
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"

    def named(self, name: str) -> list[Any]:
        return [span for span in self.spans if span.name == name]


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector on loopback."""
    opened = Collector()
    thread = threading.Thread(target=opened.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield opened
    opened.server.shutdown()
    thread.join()
    opened.server.server_close()


def _said(span: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes}


async def test_a_crawl_is_one_trace_of_its_run_with_every_step_in_it(
    origin: Origin, tmp_path: Path, collector: Collector
) -> None:
    job_board(origin, postings=2, per_page=2)
    origin.page(f"/jobs?key={SECRET}", '<a href="/job/0">one</a> <a href="/dead">gone</a>')
    origin.route("/dead", Answer(status=404))

    async with going(quick_settings(tmp_path, origin, tracing_url=collector.url)) as service:
        run = await crawl(service, f"{origin.url}/jobs?key={SECRET}", name="Harbour", max_depth=1)

    assert {span.trace_id for span in collector.spans} == {UUID(run.public_id).bytes}
    (root,) = collector.named("run")
    others = [span for span in collector.spans if span is not root]
    assert {span.parent_span_id for span in others} == {root.span_id}
    assert _said(root)["lamplighter.source"] == "Harbour"
    assert root.end_time_unix_nano > root.start_time_unix_nano
    fetches = {_said(span)["url.full"]: span for span in collector.named("fetch")}
    assert set(fetches) == {origin.url + path for path in ("/jobs", "/job/0", "/dead")}
    dead = fetches[origin.url + "/dead"]
    assert (_said(dead)["http.response.status_code"], _said(dead)["lamplighter.outcome"]) == (404, "failed")
    assert dead.status.code == dead.status.STATUS_CODE_ERROR
    assert len(collector.named("parse")) == 2
    assert all(_said(span)["lamplighter.items"] for span in collector.named("commit"))
    assert SECRET not in "".join(str(span) for span in collector.spans)


async def test_each_fetch_says_through_which_proxy_it_went(
    origin: Origin, tmp_path: Path, collector: Collector
) -> None:
    job_board(origin, postings=2, per_page=2)

    async with HttpProxy(exit="127.0.0.11") as one, HttpProxy(exit="127.0.0.12") as two:
        pool = {"proxies_enabled": True, "proxy_urls": f"{one.url},{two.url}"}
        async with going(quick_settings(tmp_path, origin, tracing_url=collector.url, **pool)) as service:
            await crawl(service, origin.url + "/jobs")

    exits = {hit.path: hit.peer for hit in origin.log if hit.path != "/robots.txt"}
    said = {_said(span)["url.full"]: _said(span)["lamplighter.proxy"] for span in collector.named("fetch")}
    assert said == {origin.url + path: {"127.0.0.11": 1, "127.0.0.12": 2}[peer] for path, peer in exits.items()}
    assert set(said.values()) == {1, 2}


async def test_a_collector_that_is_away_costs_the_spans_and_nothing_else(
    origin: Origin, tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "LAST_WORDS_SECONDS", 0.2)
    job_board(origin, postings=1, per_page=1)
    collector.server.server_close()

    async with going(quick_settings(tmp_path, origin, tracing_url=collector.url)) as service:
        run = await crawl(service, origin.url + "/jobs")

    assert run.tally.records_inserted == 1


def test_switched_off_nothing_of_opentelemetry_is_loaded() -> None:
    code = "import sys, lamplighter.app; sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"

    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": "src"}, timeout=60)

    assert done.returncode == 0


async def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("opentelemetry"):
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", missing)

    with pytest.raises(BadSetting, match=r"pip install 'lamplighter\[tracing\]'"):
        async with tracing.traced("http://127.0.0.1:4318/v1/traces", instance="x", say_lost=lambda: None):
            pass


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/jobs?token=x#y", "https://a.example/jobs"),
        ("https://me:x@a.example:8443/", "https://a.example:8443/"),
    ],
)
def test_an_address_is_shown_without_query_and_credentials(url: str, shown: str) -> None:
    assert tracing.address(url) == shown


async def test_an_exporter_that_fails_is_told_in_our_words_and_closing_is_not_held_up(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tracing, "LAST_WORDS_SECONDS", 0.2)
    lost: list[None] = []
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1/traces?key={SECRET}"

    async with tracing.traced(url, instance="a", say_lost=lambda: lost.append(None)):
        hold = threading.Event()
        monkeypatch.setattr(BatchSpanProcessor, "shutdown", lambda _: hold.wait())
        logging.getLogger("opentelemetry.exporter").error("Failed to export to %s", url)
        logging.getLogger("urllib3.connectionpool").error("cannot reach %s", url)

    hold.set()
    silent.close()
    assert len(lost) == 2
    assert SECRET not in capfd.readouterr().err


@pytest.mark.parametrize("url", [f"not a {SECRET}", f"ftp://a.example/{SECRET}", f"http:///?key={SECRET}"])
async def test_an_address_that_is_none_is_refused_at_the_start_and_not_shown(url: str) -> None:
    with pytest.raises(BadSetting, match="LAMPLIGHTER_TRACING_URL is not a URL") as refused:
        async with tracing.traced(url, instance="a", say_lost=lambda: None):
            pass

    assert SECRET not in str(refused.value)
