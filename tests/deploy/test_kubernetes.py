"""deploy/kubernetes: manifests that parse, confine what they run, and hold no secret."""

import re
import shutil
import subprocess
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from lamplighter import settings
from lamplighter.cli.main import app
from lamplighter.settings import Settings
from tests.deploy.files import FOLDER, MANIFESTS, SECRET, pod_specs
from tests.repository import ROOT

CONFIG: dict[str, str] = next(each["data"] for each in MANIFESTS if each["kind"] == "ConfigMap")
TEMPLATE: dict[str, str] = next(each["stringData"] for each in MANIFESTS if each["kind"] == "Secret")


def test_the_template_of_the_secret_holds_no_value() -> None:
    assert set(TEMPLATE.values()) == {""}
    assert not any(SECRET.search(name) for name in CONFIG)
    assert "secret.example.yaml" not in _kustomization()["resources"]


def test_all_that_is_applied_is_there() -> None:
    files = {path.name for path in (FOLDER / "kubernetes").glob("*.yaml")}

    assert set(_kustomization()["resources"]) == files - {"kustomization.yaml", "secret.example.yaml"}


@pytest.mark.parametrize("pod", pod_specs(), ids=lambda pod: pod["containers"][0]["args"][-1])
def test_a_pod_is_confined_and_has_time_to_stop(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert str(pod["securityContext"]["runAsUser"]) in (FOLDER / "Dockerfile").read_text()
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert pod["terminationGracePeriodSeconds"] > float(CONFIG["LAMPLIGHTER_GRACE_SECONDS"])
    assert container["resources"]["limits"]["memory"]
    assert "readinessProbe" in container


@pytest.mark.parametrize("pod", pod_specs(), ids=lambda pod: pod["containers"][0]["args"][-1])
def test_a_pod_runs_a_command_that_exists(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]

    assert CliRunner().invoke(app, [*container["args"], "--help"]).exit_code == 0


@pytest.mark.parametrize("pod", pod_specs(), ids=lambda pod: pod["containers"][0]["args"][-1])
def test_a_probe_asks_a_port_that_the_process_listens_on(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    given = {each["name"]: each["value"] for each in container["env"]}
    (port,) = container["ports"]

    default = Settings.model_fields["port"].default if container["args"] == ["serve"] else None
    assert port["containerPort"] == int(given.get("LAMPLIGHTER_METRICS_PORT", default))
    asked = {name: probe for name, probe in container.items() if name.endswith("Probe")}
    assert asked.keys() == {"startupProbe", "readinessProbe", "livenessProbe"}
    for probe in asked.values():
        assert (probe.get("httpGet") or probe["tcpSocket"])["port"] == port["name"]
    # A restart would not bring back a database that is away.
    assert "httpGet" not in asked["livenessProbe"]


def test_the_settings_are_in_order_once_the_secret_is_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = {"LAMPLIGHTER_AUTH_JWT_SECRET": "x" * 48, "LAMPLIGHTER_DATABASE_URL": "postgresql+asyncpg://a:b@c:5432/d"}
    for name, value in (CONFIG | secret).items():
        monkeypatch.setenv(name, value)

    chosen = settings.load()

    assert not chosen.is_dev
    assert not chosen.metrics_public


def test_every_deployment_survives_the_loss_of_a_node() -> None:
    deployed = {each["metadata"]["name"] for each in MANIFESTS if each["kind"] == "Deployment"}
    spared = {each["metadata"]["name"] for each in MANIFESTS if each["kind"] == "PodDisruptionBudget"}

    assert deployed == spared == {"api", "fetch", "parse"}


def test_it_is_built_as_a_whole() -> None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("no kubectl here")

    built = subprocess.run([kubectl, "kustomize", "deploy/kubernetes"], cwd=ROOT, check=True, capture_output=True)

    assert len(list(yaml.safe_load_all(built.stdout))) == len(MANIFESTS) - 2
    assert not re.search(rb"^kind: Secret", built.stdout, re.MULTILINE)


def _kustomization() -> dict[str, Any]:
    return next(each for each in MANIFESTS if each["kind"] == "Kustomization")
