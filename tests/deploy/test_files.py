"""What holds for all of deploy/: names of settings, the image, the units, and what is measured."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from lamplighter.cli.main import app
from lamplighter.settings import PREFIX, Settings
from tests.deploy.files import FOLDER, SERVICES
from tests.repository import ROOT

UNITS = ["lamplighter.service", "lamplighter-worker@.service"]
DOCKERFILE = (FOLDER / "Dockerfile").read_text()


@pytest.mark.parametrize(
    "path",
    [path for path in sorted([*FOLDER.rglob("*"), ROOT / "docs" / "deploy.md"]) if path.is_file()],
    ids=lambda path: path.name,
)
def test_every_setting_that_is_named_exists(path: Path) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}

    assert set(re.findall(r"\bLAMPLIGHTER_[A-Z0-9_]+", path.read_text())) <= known


def test_all_that_the_image_is_made_of_is_there_and_is_let_in() -> None:
    let_in = re.findall(r"^!(\S+)$", (FOLDER / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    copied = [
        name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE) for name in line.split()
    ]

    assert sorted(copied) == sorted(let_in)
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_installs_by_hash_runs_as_nobody_in_particular_and_starts_a_command_that_exists() -> None:
    (command,) = re.findall(r'^CMD \["(\w+)"\]$', DOCKERFILE, re.MULTILINE)

    assert "--require-hashes -r requirements.lock" in DOCKERFILE
    assert "--hash=sha256:" in (ROOT / "requirements.lock").read_text()
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)
    assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_starts_a_command_that_exists_and_stops_in_time(unit: str) -> None:
    text = (FOLDER / "systemd" / unit).read_text()
    (command,) = re.findall(r"^ExecStart=\S+/lamplighter (\w+)$", text, re.MULTILINE)
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)

    assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0
    assert int(seconds) > Settings.model_fields["grace_seconds"].default


@pytest.mark.parametrize("unit", UNITS)
def test_systemd_understands_the_unit(unit: str, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd here")
    text = (FOLDER / "systemd" / unit).read_text()
    there = tmp_path / unit.replace("@.", "@1.")
    there.write_text(re.sub(r"^ExecStart=\S+", f"ExecStart={shutil.which('true')}", text, flags=re.MULTILINE))

    judged = subprocess.run([analyze, "verify", str(there)], capture_output=True, text=True, check=False)

    assert (judged.returncode, judged.stderr) == (0, "")


def test_what_is_measured_is_part_of_the_fleet() -> None:
    config = yaml.safe_load((FOLDER / "prometheus" / "prometheus.yml").read_text())
    jobs = config["scrape_configs"]
    targets = {target for job in jobs for each in job.get("static_configs", ()) for target in each["targets"]}
    found = {(name, each["port"]) for job in jobs for each in job.get("dns_sd_configs", ()) for name in each["names"]}

    assert {target.split(":")[0] for target in targets} <= {*SERVICES, "127.0.0.1"}
    assert "api:8060" in targets
    assert found == {("worker", int(SERVICES["worker"]["environment"]["LAMPLIGHTER_METRICS_PORT"]))}


def test_the_dashboard_server_asks_the_one_that_measures() -> None:
    (source,) = yaml.safe_load((FOLDER / "grafana/provisioning/datasources/prometheus.yaml").read_text())["datasources"]

    assert source["url"] == "http://prometheus:9090"
