"""A real disk that fills up under the service and is emptied again; it is made of memory, in a namespace of its own."""

import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.origin import ThreadedOrigin
from tests.servers.sharing import free_port
from tests.service.processes import wait_until
from tests.service.sites import job_board

DISK_MB, LEAST_MB = 12, 3
POSTINGS = 40


class SmallDisk:
    """The program on a small disk, and the disk as the program sees it."""

    def __init__(self, process: "subprocess.Popen[bytes]", folder: Path, *, url: str) -> None:
        self._filler = Path(f"/proc/{process.pid}/root{folder}/filler")
        self._url = url

    def fill(self, *, leaving_mb: int) -> None:
        """Takes all room but this."""
        with self._filler.open("wb") as filler, suppress(OSError):
            while shutil.disk_usage(self._filler.parent).free > leaving_mb << 20:
                filler.write(bytes(64 << 10))
                filler.flush()

    def empty(self) -> None:
        """Gives the room back."""
        self._filler.unlink()

    def ask(self, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON of an answer; 0 when there is none."""
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self._url + path, data=data, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
        except OSError:
            return 0, {}

    def wait_for_health(self, state: str) -> None:
        """Until `/health` says this."""
        wait_until(lambda: self.ask("/health")[1].get("status") == state, lambda: state)


@contextmanager
def on_a_small_disk(folder: Path, **chosen: str) -> Iterator[SmallDisk]:
    """Skips where nobody may mount."""
    port, disk = free_port(), folder / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size={DISK_MB}m none '{disk}'"
    apart = [shutil.which("unshare") or "false", "-m", "sh", "-c"]
    if subprocess.run([*apart, mount], capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted here")
    serve = f"exec '{sys.executable}' -m lamplighter serve --port {port} --data '{disk}'"
    env = {name: value for name, value in os.environ.items() if not name.startswith("LAMPLIGHTER_")}
    env |= {f"LAMPLIGHTER_{name.upper()}": value for name, value in chosen.items()}
    with (
        (folder / "log.txt").open("wb") as log,
        subprocess.Popen([*apart, f"{mount} && {serve}"], env=env, stdout=log, stderr=log) as process,
    ):
        try:
            yield SmallDisk(process, disk, url=f"http://127.0.0.1:{port}")
        finally:
            process.terminate()
    sys.stdout.write((folder / "log.txt").read_text()[-5000:])


def test_a_disk_that_fills_up_loses_nothing_and_all_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with ThreadedOrigin() as origin:
        job_board(origin, postings=POSTINGS, per_page=POSTINGS)
        chosen = {
            "allow_hosts": origin.address,
            "least_free_mb": str(LEAST_MB),
            "min_delay_ms": "100",
            "max_pages": "99",
        }
        with on_a_small_disk(tmp_path, **chosen) as disk:
            disk.wait_for_health("ok")
            added, source = disk.ask("/api/v1/sources", {"url": origin.url + "/jobs"})
            wait_until(lambda: len(origin.log) > 4, lambda: "requests")
            disk.fill(leaving_mb=LEAST_MB - 1)
            disk.wait_for_health("degraded")
            disk.fill(leaving_mb=0)
            disk.wait_for_health("unavailable")
            read, _ = disk.ask(f"/api/v1/sources/{source['id']}")
            asked_by_then = len(origin.log)
            disk.empty()
            disk.wait_for_health("ok")
            runs = f"/api/v1/sources/{source['id']}/executions"
            wait_until(lambda: disk.ask(runs)[1]["executions"][0]["status"] != "running", lambda: "the end of the run")
            (_, ended), (_, records) = disk.ask(runs), disk.ask("/api/v1/records?limit=1")

    pages = Counter(hit.path for hit in origin.log if hit.path != "/robots.txt")
    assert (added, read) == (201, 200)
    assert asked_by_then < POSTINGS
    assert sorted(pages.values()) == [1] * (POSTINGS + 1)
    assert ([run["status"] for run in ended["executions"]], records["total"]) == (["success"], POSTINGS)
