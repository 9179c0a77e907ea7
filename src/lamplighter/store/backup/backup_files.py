"""Backup files: their names, the note (JSON) with metadata beside each, and their rotation.

A backup never overwrites another file, only its owner may read it, and its name appears when it is complete. Until then
it is a partial file, locked by the process that writes it: one that nobody has locked was left by a process that died.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from lamplighter import __version__, crash_points
from lamplighter.errors import BadInput, NotFound
from lamplighter.store.engine import file_lock

#: the file name suffix of each kind of database
SQLITE, POSTGRES = ".db", ".dump"
_PART, _NOTE = ".part", ".json"
_STAMP = "%Y%m%dT%H%M%SZ"
_PRIVATE = 0o600
#: a partial file is locked this soon after it is made
_YOUNG = timedelta(seconds=10)
#: where files cannot be locked, a partial file is abandoned after this time: no backup takes longer
_ABANDONED = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup file."""

    name: str
    path: Path
    made_at: datetime
    size_bytes: int
    #: the schema of the database, and the program version that made the backup; None when unknown
    schema: str | None = None
    version: str | None = None


def new_path(folder: Path, stem: str, suffix: str, *, now: datetime) -> Path:
    """A new file name for a backup made now, which no backup has and none that was begun."""
    name = f"{stem}-{now.astimezone(UTC).strftime(_STAMP)}"
    number, path = 1, folder / f"{name}{suffix}"
    while path.exists() or _part_of(path).exists():
        number += 1
        path = folder / f"{name}-{number}{suffix}"
    return path


@contextmanager
def writing(target: Path, *, schema: str | None, now: datetime) -> Iterator[Path]:
    """A partial file for the backup, which gets its name when the block ends; BadInput if the name is taken."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = _part_of(target)
    if part.exists() and _is_abandoned(part, now=now):
        part.unlink(missing_ok=True)
    try:
        if target.exists():
            raise FileExistsError
        lock = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
    except FileExistsError:
        raise _taken(target) from None
    try:
        file_lock.take(lock)
        yield part
        crash_points.reached("backup.before_name")
        _flush(part)
        if target.exists():
            raise _taken(target)
        _note(target, {"schema": schema, "version": __version__, "made_at": now.isoformat()})
        _publish(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        if not target.exists():
            _note_of(target).unlink(missing_ok=True)
        raise
    finally:
        os.close(lock)


def _publish(part: Path, target: Path) -> None:
    """Gives a complete backup its name, in one step and over no other file."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise _taken(target) from None
    except OSError:  # a file system without hard links
        if target.exists():
            raise _taken(target) from None
        os.replace(part, target)
    part.unlink(missing_ok=True)


def _taken(target: Path) -> BadInput:
    return BadInput(f"{str(target)!r} exists already; choose another name, a backup never overwrites")


def read(path: Path) -> Backup:
    """Reads the metadata of a backup in any folder; missing metadata stays unknown."""
    state = path.stat()
    said: dict[str, Any] = {}
    with suppress(OSError, orjson.JSONDecodeError, AttributeError):
        said = dict(orjson.loads(_note_of(path).read_bytes()).items())
    return Backup(
        name=path.name,
        path=path,
        made_at=_moment(said.get("made_at")) or datetime.fromtimestamp(state.st_mtime, UTC),
        size_bytes=state.st_size,
        schema=_word(said.get("schema")),
        version=_word(said.get("version")),
    )


def listed(folder: Path, stem: str) -> list[Backup]:
    """The backups in a folder that match our names, the newest first."""
    ours = re.compile(rf"{re.escape(stem)}-\d{{8}}T\d{{6}}Z(-\d+)?({re.escape(SQLITE)}|{re.escape(POSTGRES)})")
    found = []
    with suppress(OSError):  # there is no such folder yet
        paths = list(folder.iterdir())
        found = [read(path) for path in paths if ours.fullmatch(path.name) and _is_whole(path)]
    return sorted(found, key=lambda each: (each.made_at, each.name), reverse=True)


def _is_whole(path: Path) -> bool:
    """Whether it is complete: earlier versions left an empty file while they wrote."""
    return path.is_file() and not path.is_symlink() and path.stat().st_size > 0


def find(folder: Path, stem: str, name: str) -> Backup:
    """The backup with this name; only a listed one, so that a name cannot lead elsewhere."""
    for each in listed(folder, stem):
        if each.name == name:
            return each
    raise NotFound(f"there is no backup {name[:100]!r}", code="backup_not_found")


def remove(backup: Backup) -> None:
    """Deletes a backup and its note."""
    backup.path.unlink(missing_ok=True)
    _note_of(backup.path).unlink(missing_ok=True)


def keep_newest(folder: Path, stem: str, *, keep: int, now: datetime) -> list[Backup]:
    """Deletes all but the newest backups with our names, and what died processes left; returns the former."""
    surplus = listed(folder, stem)[keep:]
    for each in surplus:
        remove(each)
    remove_leftovers(folder, stem, now=now)
    return surplus


def remove_leftovers(folder: Path, stem: str, *, now: datetime) -> None:
    """Deletes partial files that nobody writes any more, and notes without a backup."""
    for part in folder.glob(f"{stem}-*{_PART}"):
        if _is_abandoned(part, now=now):
            part.unlink(missing_ok=True)
    for note in folder.glob(f"{stem}-*{_NOTE}"):
        backup = note.with_name(note.name.removesuffix(_NOTE))
        if not backup.exists() and not _part_of(backup).exists():
            note.unlink(missing_ok=True)


def _is_abandoned(part: Path, *, now: datetime) -> bool:
    """Whether the process that wrote a partial file has ended."""
    try:
        age = now - datetime.fromtimestamp(part.stat().st_mtime, UTC)
        if sys.platform == "win32":
            return age > _ABANDONED
        opened = os.open(part, os.O_RDONLY)
    except OSError:
        return False
    try:
        file_lock.take(opened)
    except OSError:
        return False
    finally:
        os.close(opened)
    return abs(age) > _YOUNG


def _part_of(path: Path) -> Path:
    return path.with_name(path.name + _PART)


def _note_of(path: Path) -> Path:
    return path.with_name(path.name + _NOTE)


def _note(target: Path, said: dict[str, Any]) -> None:
    path = _note_of(target)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE), "wb") as file:
        file.write(orjson.dumps(said, option=orjson.OPT_INDENT_2))


def _flush(path: Path) -> None:
    """fsync: only data on disk is a backup."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _moment(text: object) -> datetime | None:
    with suppress(TypeError, ValueError):
        moment = datetime.fromisoformat(text)  # type: ignore[arg-type]
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return None


def _word(value: object) -> str | None:
    return value[:40] if isinstance(value, str) else None
