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

from tests.journeys.installation import SECRET, bearer

#: requests tried per operation; more of them with `make explore`
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
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
    sys.stdout.write((tmp_path / "log.txt").read_text()[-5000:])


def _wait_for(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    raise AssertionError(f"{url} did not answer")


@pytest.mark.minutes
@pytest.mark.timeout(1200)
def test_no_request_breaks_the_service_or_gets_an_answer_that_is_not_described(server: str, tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server}/openapi.json"),
        *("--header", f"Authorization: Bearer {bearer('admin')}"),
        *("--exclude-path-regex", ENDLESS),
        *(
            "--checks",
            "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        ),
        *("--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES), "--seed", "7"),
        *("--continue-on-failure", "--no-color", "--warnings", "off", "--suppress-health-check", "all"),
    ]

    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=1180, check=False)

    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-2000:]
