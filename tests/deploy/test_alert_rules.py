"""Prometheus understands the alert rules, and they fire when they should."""

import re
import shutil
import subprocess
import sys

import pytest
import yaml
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric

from lamplighter import metrics
from lamplighter.rules.alerts.alerts import RULES
from tests.repository import ROOT

FOLDER = ROOT / "deploy" / "prometheus"
NAME = re.compile(r"crawler_\w+")
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="no promtool here: install the Debian package prometheus"
)


def test_the_rules_of_prometheus_are_those_of_the_service() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "write_alert_rules.py", "--check"],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr


@needs_promtool
def test_the_rules_are_valid_and_pass_their_unit_tests() -> None:
    for command in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run(["promtool", *command], cwd=FOLDER, capture_output=True, text=True, timeout=60)

        assert done.returncode == 0, done.stdout + done.stderr


def test_every_rule_is_tested_to_fire_and_not_to() -> None:
    tests = yaml.safe_load((FOLDER / "alerts_test.yml").read_text(encoding="utf-8"))["tests"]
    fired = {
        sample["labels"]
        for test in tests
        for check in test.get("promql_expr_test", ())
        for sample in check["exp_samples"]
    }

    assert fired == {f'{{alertname="{rule.name}"}}' for rule in RULES}
    assert any(not check["exp_samples"] for test in tests for check in test.get("promql_expr_test", ()))


def test_every_metric_that_a_rule_asks_for_exists() -> None:
    asked = {name for rule in RULES for name in NAME.findall(rule.promql)}

    assert asked - _exposed(metrics.REGISTRY) == set()


def _exposed(registry: CollectorRegistry) -> set[str]:
    families: list[Metric] = list(registry.collect())
    plain = {family.name for family in families}
    return plain | {f"{family.name}{ending}" for family in families for ending in ("_total", "_count")}
