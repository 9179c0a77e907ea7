"""The metrics themselves: the names that dashboards rely on, gauges that do not grow old, labels that are bounded."""

from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from lamplighter import app, metrics
from lamplighter.app.background import loops_of
from lamplighter.crawl.events import event_counts
from lamplighter.crawl.process import counters
from lamplighter.metrics import DECLARED, OTHER, ExpiringGauge
from lamplighter.model.event import SourceFact
from lamplighter.model.notification import ChannelKind
from tests.counting import shown
from tests.service.in_process import quick_settings

#: name -> labels, buckets: what dashboards made elsewhere ask for
PROMISED: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {
    "crawler_events_received_total": (("event_type",), ()),
    "crawler_events_processed_total": (("event_type", "result"), ()),
    "crawler_event_processing_duration_seconds": (("event_type",), (0.01, 0.05, 0.1, 0.5, 1, 5)),
    "crawler_consumer_lag_messages": ((), ()),
    "crawler_jobs_created_total": ((), ()),
    "crawler_jobs_updated_total": ((), ()),
    "crawler_jobs_by_status": (("status",), ()),
    "crawler_jobs_by_priority": (("priority",), ()),
    "crawler_scheduler_runs_total": ((), ()),
    "crawler_scheduler_jobs_dispatched_total": ((), ()),
    "crawler_crawl_duration_seconds": (("source_name", "status"), (1, 5, 10, 30, 60, 120, 300)),
    "crawler_articles_extracted_total": (("source_name",), ()),
}


def test_what_others_rely_on_has_its_name_its_labels_and_its_buckets() -> None:
    declared = {metric.name: (metric.labels, metric.buckets) for metric in DECLARED}

    assert {name: declared.get(name) for name in PROMISED} == PROMISED


@pytest.mark.parametrize(
    "labels", [pytest.param((), id="without labels"), pytest.param(("state",), id="of one of several")]
)
def test_a_gauge_shows_nothing_until_it_is_set_nor_when_that_was_long_ago(
    labels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = CollectorRegistry()
    gauge = ExpiringGauge("lamps", "Lamps.", labels, registry=registry)
    one = gauge.labels("lit") if labels else gauge

    def value() -> float | None:
        return registry.get_sample_value("lamps", {"state": "lit"} if labels else {})

    before = value()
    one.set(3)
    fresh = value()
    monkeypatch.setattr(ExpiringGauge, "lasts_seconds", 0.0)

    assert (before, fresh, value()) == (None, 3, None)


async def test_a_service_says_how_many_sources_are_named_and_how_long_gauges_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ExpiringGauge, "lasts_seconds", ExpiringGauge.lasts_seconds)
    monkeypatch.setattr(metrics.SourceNames, "most", metrics.SourceNames.most)

    async with app.open_service(quick_settings(tmp_path, metrics_sources=7, metrics_seconds=600)):
        assert (metrics.SourceNames.most, ExpiringGauge.lasts_seconds) == (7, 1800)


def test_only_so_many_sources_are_told_apart_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics.SourceNames, "taken", set())
    monkeypatch.setattr(metrics.SourceNames, "most", 2)

    assert [metrics.named(name) for name in ("a", "b", "c", "a", "d")] == ["a", "b", OTHER, "a", OTHER]


@pytest.mark.parametrize(("kind", "is_taken"), [("serve", True), ("worker", False), ("crawl", False)])
async def test_what_the_database_knows_is_told_by_those_who_answer_the_web(
    kind: str, is_taken: bool, tmp_path: Path
) -> None:
    async with app.open_service(quick_settings(tmp_path), kind=kind) as service:
        assert ("meter" in {loop.name for loop in loops_of(service)}) is is_taken


def test_what_a_rule_asks_for_is_counted_from_nought_on() -> None:
    for status in counters.STATUS.values():
        assert shown("crawler_runs_total", status=status) is not None
    for kind in (*SourceFact, "other", event_counts.UNREADABLE):
        assert shown("crawler_events_processed_total", event_type=kind, result="error") is not None


@pytest.mark.parametrize("result", ["sent", "failed", "dead"])
@pytest.mark.parametrize("kind", ChannelKind)
def test_what_channels_come_to_is_counted_from_nought_on(kind: ChannelKind, result: str) -> None:
    assert shown("crawler_notifications_total", channel=kind, result=result) is not None
