"""Writes deploy/grafana/dashboards/lamplighter.json; with --check only says whether the file is up to date."""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

FILE = Path(__file__).resolve().parents[1] / "deploy" / "grafana" / "dashboards" / "lamplighter.json"
#: of Grafana's grid, which is 24 wide
_WIDTH, _HEIGHT = 6, 8
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}
# Not the counts by source: each of those begins with its first run, which Prometheus takes for no increase.
_ENDED = 'crawler_runs_total{status=~"success|warning|failure"}'
_WENT_WELL = 'crawler_runs_total{status=~"success|warning"}'
_NEW_RECORDS = 'crawler_records_total{result="inserted"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One picture: what it asks for, and how it is drawn."""

    title: str
    #: (query, legend) of each line
    queries: tuple[tuple[str, str], ...]
    kind: Literal["timeseries", "stat", "heatmap", "table"] = "timeseries"
    unit: str = "short"
    stacked: bool = False
    description: str = ""


def _rate(metric: str) -> str:
    return f"rate({metric}[$__rate_interval])"


def _quantile(q: float, metric: str) -> str:
    return f"histogram_quantile({q}, sum by (le) ({_rate(metric + '_bucket')}))"


#: counters are of one process each, and added up; what the database knows is told by several alike, and `max` is any
ROWS: dict[str, tuple[Panel, ...]] = {
    "Event pipeline": (
        Panel(
            title="Events received",
            queries=((f"sum by (event_type) ({_rate('crawler_events_received_total')})", "{{event_type}}"),),
            unit="ops",
        ),
        Panel(
            title="Events processed",
            queries=((f"sum by (result) ({_rate('crawler_events_processed_total')})", "{{result}}"),),
            unit="ops",
        ),
        Panel(
            title="Consumer lag",
            queries=(("max(crawler_consumer_lag_messages)", "not settled"),),
            description="Events published and not yet processed. More than 100 for 5 minutes is an alert.",
        ),
        Panel(
            title="Processing duration",
            queries=tuple(
                (_quantile(q, "crawler_event_processing_duration_seconds"), f"p{round(100 * q)}")
                for q in (0.5, 0.95, 0.99)
            ),
            unit="s",
        ),
    ),
    "Job lifecycle": (
        Panel(
            title="Jobs by status",
            queries=(("max by (status) (crawler_jobs_by_status)", "{{status}}"),),
            stacked=True,
        ),
        Panel(
            title="Jobs created and updated",
            queries=(
                (f"sum({_rate('crawler_jobs_created_total')})", "created"),
                (f"sum({_rate('crawler_jobs_updated_total')})", "updated"),
            ),
            unit="ops",
        ),
        Panel(
            title="Failed jobs",
            queries=(('max(crawler_jobs_by_status{status="failed"})', "failed"),),
            kind="stat",
        ),
        Panel(
            title="Jobs in backoff",
            queries=(("max(crawler_jobs_in_backoff)", "in backoff"),),
            kind="stat",
            description="They wait because their last runs failed.",
        ),
    ),
    "Scheduler": (
        Panel(
            title="Scheduler cycles per minute",
            queries=((f"60 * sum({_rate('crawler_scheduler_runs_total')})", "cycles"),),
        ),
        Panel(
            title="Jobs dispatched",
            queries=((f"sum({_rate('crawler_scheduler_jobs_dispatched_total')})", "dispatched"),),
            unit="ops",
        ),
        Panel(
            title="Queue depth",
            queries=(
                ("max(crawler_jobs_due)", "jobs due"),
                ("max by (phase) (crawler_pages_waiting)", "pages to {{phase}}"),
            ),
        ),
        Panel(
            title="Active crawls",
            queries=(('max(crawler_jobs_by_status{status="running"})', "running"),),
        ),
    ),
    "Crawl": (
        Panel(
            title="Crawl success rate",
            queries=((f"sum(increase({_WENT_WELL}[1h])) / sum(increase({_ENDED}[1h]))", "of the last hour"),),
            unit="percentunit",
            description="Runs of the last hour that went well or with a warning; cancelled ones do not count.",
        ),
        Panel(
            title="Articles extracted",
            queries=((f"sum({_rate(_NEW_RECORDS)})", "new records"),),
            unit="ops",
        ),
        Panel(
            title="Crawl duration",
            queries=(("sum by (le) (increase(crawler_crawl_duration_seconds_bucket[$__rate_interval]))", "{{le}}"),),
            kind="heatmap",
            unit="s",
        ),
        Panel(
            title="Top failing sources",
            queries=(
                (
                    "topk(10, sum by (source_name) "
                    '(increase(crawler_crawl_duration_seconds_count{status="failure"}[24h])) > 0)',
                    "{{source_name}}",
                ),
            ),
            kind="table",
            description="Failed runs of the last 24 hours.",
        ),
    ),
}


def main() -> int:
    """Writes the file; with --check 1 when it would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the file is out of date")
    text = json.dumps(dashboard(), indent=2) + "\n"
    if not parser.parse_args().check:
        FILE.write_text(text, encoding="utf-8")
        return 0
    if FILE.exists() and FILE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{FILE.name} is not what scripts/write_grafana_dashboard.py writes; `make docs` does.", file=sys.stderr)
    return 1


def dashboard() -> dict[str, Any]:
    """The dashboard as Grafana reads it."""
    return {
        "uid": "lamplighter",
        "title": "Lamplighter",
        "tags": ["lamplighter"],
        "schemaVersion": 39,
        "version": 1,
        "editable": True,
        "timezone": "browser",
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {
            "list": [{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}]
        },
        "annotations": {"list": []},
        "panels": _panels(),
    }


def _panels() -> list[dict[str, Any]]:
    panels: list[dict[str, Any]] = []
    for row, (title, inside) in enumerate(ROWS.items()):
        top = row * (_HEIGHT + 1)
        place = {"x": 0, "y": top, "w": 24, "h": 1}
        head = {"id": len(panels) + 1, "type": "row", "title": title, "gridPos": place, "collapsed": False}
        panels.append(head | {"panels": []})
        for column, panel in enumerate(inside):
            place = {"x": column * _WIDTH, "y": top + 1, "w": _WIDTH, "h": _HEIGHT}
            panels.append({"id": len(panels) + 1, "gridPos": place, **_drawn(panel)})
    return panels


def _drawn(panel: Panel) -> dict[str, Any]:
    drawn: dict[str, Any] = {
        "type": panel.kind,
        "title": panel.title,
        "description": panel.description,
        "datasource": _SOURCE,
        "targets": [_target(panel, index) for index in range(len(panel.queries))],
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {},
    }
    if panel.kind == "timeseries":
        stacking = {"mode": "normal" if panel.stacked else "none", "group": "A"}
        drawn["fieldConfig"]["defaults"]["custom"] = {"fillOpacity": 40 if panel.stacked else 8, "stacking": stacking}
        drawn["options"] = {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}}
    elif panel.kind == "heatmap":
        drawn["options"] = {"calculate": False, "yAxis": {"unit": panel.unit}, "cellGap": 1}
    elif panel.kind == "table":
        names = {"source_name": "Source", "Value": "Failed runs"}
        shown = {"excludeByName": {"Time": True}, "renameByName": names}
        drawn["transformations"] = [{"id": "organize", "options": shown}]
        drawn["options"] = {"sortBy": [{"displayName": "Failed runs", "desc": True}]}
    return drawn


def _target(panel: Panel, index: int) -> dict[str, Any]:
    query, legend = panel.queries[index]
    is_table = panel.kind == "table"
    written: Literal["heatmap", "table", "time_series"] = (
        "heatmap" if panel.kind == "heatmap" else "table" if is_table else "time_series"
    )
    return {
        "refId": "ABCD"[index],
        "datasource": _SOURCE,
        "expr": query,
        "legendFormat": legend,
        "format": written,
        "instant": is_table,
        "range": not is_table,
    }


if __name__ == "__main__":
    sys.exit(main())
