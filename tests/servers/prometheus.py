"""A throw-away Prometheus of one test: it asks the given places every second, until the block ends."""

import json
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.servers.sharing import free_port

_PATIENCE_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Prometheus:
    """A running server."""

    url: str

    def now(self, query: str) -> list[dict[str, Any]]:
        """The series that a query finds at this moment, each with its value."""
        return self._ask("query", query=query)

    def lately(self, query: str, *, seconds: int) -> list[dict[str, Any]]:
        """The series that a query finds within the last seconds, each with its values."""
        end = time.time()
        return self._ask("query_range", query=query, start=str(end - seconds), end=str(end), step="1")

    def _ask(self, how: str, **given: str) -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{self.url}/api/v1/{how}?{urllib.parse.urlencode(given)}", timeout=60) as answer:
            found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
            return found


@contextmanager
def prometheus(folder: Path, targets: Sequence[str], **scraping: Any) -> Iterator[Prometheus]:
    """A server that asks these addresses; `scraping` is what else its configuration says about that."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.skip("no Prometheus here: install the Debian package prometheus")
    port = free_port()
    config = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
        "scrape_configs": [{"job_name": "lamplighter", "static_configs": [{"targets": list(targets)}], **scraping}],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    options = [f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'tsdb'}"]
    with (folder / "prometheus.log").open("w") as output:
        process = subprocess.Popen(
            [program, *options, f"--web.listen-address=127.0.0.1:{port}"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait(f"http://127.0.0.1:{port}/-/ready", process, folder / "prometheus.log")
        yield Prometheus(f"http://127.0.0.1:{port}")
    finally:
        process.kill()
        process.wait()


def _wait(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            with urllib.request.urlopen(url, timeout=60):
                return
        except (urllib.error.URLError, ConnectionError):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < give_up, f"Prometheus was not ready within {_PATIENCE_SECONDS} s"
            time.sleep(0.05)
