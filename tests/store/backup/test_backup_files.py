"""Backups that are killed: their names never appear, and what they leave is removed."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lamplighter.errors import BadInput
from lamplighter.store.backup import backup_files, sqlite_backup

STEM = "lamplighter"
KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from lamplighter.store.backup import backup_files

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

if sys.argv[2]:
    setattr(backup_files, sys.argv[2], die)
if sys.argv[2] == "after":
    backup_files.os.link = lambda part, target: (__import__("shutil").copyfile(part, target), die())
with backup_files.writing(Path(sys.argv[1]), schema="0001", now=datetime.now(UTC)) as part:
    part.write_bytes(b"whole")
    if not sys.argv[2]:
        die()
"""


def now_later() -> datetime:
    """A minute from now: what was left is not taken for what is just being made."""
    return datetime.now(UTC) + timedelta(minutes=1)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("at", ["", "_flush", "_note", "_publish"])
def test_a_backup_that_is_killed_never_has_its_name_and_leaves_nothing_for_long(tmp_path: Path, at: str) -> None:
    target = tmp_path / f"{STEM}-20260301T080000Z.db"

    died = subprocess.run([sys.executable, "-c", KILLED, str(target), at], timeout=300)
    left = files(tmp_path)
    backup_files.remove_leftovers(tmp_path, STEM, now=now_later())

    assert died.returncode == -signal.SIGKILL
    assert left != []
    assert target.name not in left
    assert files(tmp_path) == []


def test_a_backup_that_is_begun_again_within_the_second_has_a_name_of_its_own(tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, 8, tzinfo=UTC)
    first = backup_files.new_path(tmp_path, STEM, ".db", now=now)
    subprocess.run([sys.executable, "-c", KILLED, str(first), ""], timeout=300)

    second = backup_files.new_path(tmp_path, STEM, ".db", now=now)
    with backup_files.writing(second, schema="0001", now=now) as part:
        part.write_bytes(b"whole")

    assert [path.name for path in (first, second)] == [f"{STEM}-20260301T080000Z{more}.db" for more in ("", "-2")]
    assert [each.path for each in backup_files.listed(tmp_path, STEM)] == [second]


def test_a_backup_that_is_killed_once_it_has_its_name_is_whole(tmp_path: Path) -> None:
    target = tmp_path / f"{STEM}-20260301T080000Z.db"

    died = subprocess.run([sys.executable, "-c", KILLED, str(target), "after"], timeout=300)
    backup_files.remove_leftovers(tmp_path, STEM, now=now_later())

    assert died.returncode == -signal.SIGKILL
    assert [each.name for each in backup_files.listed(tmp_path, STEM)] == [target.name]
    assert target.read_bytes() == b"whole"
    assert files(tmp_path) == [target.name, f"{target.name}.json"]


def test_while_a_backup_is_written_only_its_partial_file_is_there_and_nobody_removes_it(tmp_path: Path) -> None:
    target = tmp_path / f"{STEM}-20260301T080000Z.db"

    with backup_files.writing(target, schema="0001", now=datetime.now(UTC)) as part:
        part.write_bytes(b"half")
        old = time.time() - 3600
        os.utime(part, (old, old))
        backup_files.keep_newest(tmp_path, STEM, keep=1, now=datetime.now(UTC))

        assert files(tmp_path) == [part.name]
        with (
            pytest.raises(BadInput, match="exists already"),
            backup_files.writing(target, schema="0001", now=datetime.now(UTC)),
        ):
            pass

    assert files(tmp_path) == [target.name, f"{target.name}.json"]


def test_a_name_that_is_taken_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / f"{STEM}-20260301T080000Z.db"

    def write() -> None:
        with backup_files.writing(target, schema="0001", now=datetime.now(UTC)) as part:
            part.write_bytes(b"ours")
            target.write_bytes(b"another's")

    with pytest.raises(BadInput, match="exists already"):
        write()
    assert target.read_bytes() == b"another's"
    assert files(tmp_path) == [target.name]


def test_a_restore_that_is_stopped_before_the_swap_leaves_the_database_under_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, made = tmp_path / "lamplighter.db", tmp_path / "lamplighter.db.restoring"
    path.write_bytes(b"the old one")
    made.write_bytes(b"the new one")
    monkeypatch.setattr(sqlite_backup, "refuse_while_used", lambda _: None)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(os, "replace", stopped)
        with pytest.raises(KeyboardInterrupt):
            sqlite_backup.swap(made, path)
    before = path.read_bytes()
    kept = sqlite_backup.swap(made, path)

    assert before == b"the old one"
    assert path.read_bytes() == b"the new one"
    assert kept is not None
    assert kept.read_bytes() == b"the old one"
