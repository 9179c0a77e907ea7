"""Whatever is sent, the service answers what its description says, and never breaks."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.installation import SECRET, bearer

#: requests of any kind that are tried per operation; more of them with `make explore`
EXAMPLES = int(os.environ.get("LAMPLIGHTER_TEST_EXAMPLES", "4"))
#: streams do not end
ENDLESS = r"/(events|stream|stream/v2)$"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The program as an operator starts it; without a contact it asks nothing outside its machine, nor inside."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    env = os.environ | {"AUTH_JWT_SECRET": SECRET, "LAMPLIGHTER_CALLS_PER_HOUR": "0"}
    env |= {"LAMPLIGHTER_ADMIN_CALLS_PER_HOUR": "0", "LAMPLIGHTER_LOG_LEVEL": "error"}
    command = [sys.executable, "-m", "lamplighter", "serve", "--port", str(port), "--data", str(tmp_path)]
    with (
        (tmp_path / "log.txt").open("wb") as log,
        subprocess.Popen(command, env=env, stdout=log, stderr=log) as process,
    ):
        try:
            _wait_for(f"http://127.0.0.1:{port}/health")
            # It is made when it is first asked for, which on a busy machine takes longer than the tool waits.
            _wait_for(f"http://127.0.0.1:{port}/openapi.json")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
    sys.stdout.write((tmp_path / "log.txt").read_text()[-5000:])


def _wait_for(url: str) -> None:
    asked = urllib.request.Request(url, headers={"Authorization": f"Bearer {bearer('admin')}"})
    for _ in range(3000):
        try:
            with urllib.request.urlopen(asked, timeout=300):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError(f"{url} did not answer")


@pytest.mark.parametrize(
    ("phases", "examples"),
    [
        pytest.param("fuzzing", 1, id="one of each"),
        pytest.param(
            "examples,coverage,fuzzing", EXAMPLES, id="many", marks=[pytest.mark.minutes, pytest.mark.timeout(3600)]
        ),
    ],
)
def test_no_request_breaks_the_service_or_gets_an_answer_that_is_not_described(
    server: str, tmp_path: Path, phases: str, examples: int
) -> None:
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server}/openapi.json"),
        *("--header", f"Authorization: Bearer {bearer('admin')}"),
        *("--exclude-path-regex", ENDLESS),
        *(
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        ),
        *("--phases", phases, "--max-examples", str(examples), "--seed", "7"),
        *(
            "--request-timeout",
            "300",
            "--continue-on-failure",
            "--no-color",
            "--warnings",
            "off",
            "--suppress-health-check",
            "all",
        ),
    ]

    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-2000:]
