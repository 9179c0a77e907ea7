"""A clock for other programs that can be set and stopped, by Debian's libfaketime."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

_WHERE = ("usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib")


class FakeTime:
    """The time of the programs that are started with `env`."""

    def __init__(self, library: Path, folder: Path) -> None:
        self._file = folder / "time"
        self.env: Mapping[str, str] = {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
            "TZ": "UTC",
        }
        self.set_by(timedelta(0))

    def set_by(self, ahead: timedelta) -> None:
        """The right time and so much more; less when it is negative."""
        self._write(f"{ahead.total_seconds():+.0f}")

    def stop(self) -> None:
        """It stays what it rightly is now."""
        self._write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}")

    def _write(self, said: str) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(said + "\n")
        os.replace(new, self._file)


@contextmanager
def faketime() -> Iterator[FakeTime]:
    """A clock of one test's own."""
    found = [path for path in (Path("/", place, "faketime/libfaketimeMT.so.1") for place in _WHERE) if path.exists()]
    if not found:
        pytest.skip("no libfaketime here: install the Debian package faketime")
    folder = Path(tempfile.mkdtemp(prefix="lamplighter-time-"))
    folder.chmod(0o755)  # servers run as somebody else
    try:
        yield FakeTime(found[0], folder)
    finally:
        shutil.rmtree(folder)
