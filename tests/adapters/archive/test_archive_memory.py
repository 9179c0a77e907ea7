"""How long and how much the archive has in mind."""

import pytest

from lamplighter.adapters.archive import archive_memory
from lamplighter.adapters.archive.archive_memory import RecentBodies
from lamplighter.model.capture import Capture
from tests.captures import capture


class _Time:
    """Stands still until it is moved."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_body_is_remembered_for_a_minute() -> None:
    time = _Time()
    recent = RecentBodies(time)
    recent.remember([("a", b"1")])

    time.seconds = 59
    recent.remember([("b", b"2")])
    within = recent.get("a")
    time.seconds = 60
    recent.remember([("c", b"3")])

    assert within == b"1"
    assert [recent.get(key) for key in "abc"] == [None, b"2", b"3"]


def test_a_service_that_puts_a_little_all_day_has_only_the_last_minute_in_mind() -> None:
    time = _Time()
    recent = RecentBodies(time)

    for minute in range(24 * 60):
        time.seconds = 60.0 * minute
        recent.remember((f"{minute}-{number}", bytes(10_000)) for number in range(10))

    assert recent.size == 100_000


def test_the_oldest_go_when_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_memory, "MOST_BYTES", 5)
    recent = RecentBodies(_Time())

    recent.remember([("a", b"12"), ("b", b"34"), ("c", b"56")])

    assert [recent.get(key) for key in "abc"] == [None, b"34", b"56"]
    assert recent.size == 4


def test_what_is_forgotten_or_comes_again_leaves_its_room() -> None:
    recent = RecentBodies(_Time())
    recent.remember([("a", b"12"), ("b", b"34")])

    recent.remember([("a", b"56")])
    recent.forget(["b", "unknown"])

    assert (recent.get("a"), recent.get("b"), recent.size) == (b"56", None, 2)


async def test_what_is_not_remembered_is_read_once_for_all() -> None:
    recent = RecentBodies(_Time())
    recent.remember([("a", b"1")])
    read: list[list[str]] = []

    async def reader(keys: list[str]) -> list[Capture | None]:
        read.append(keys)
        return [None if key == "gone" else capture(key.encode()) for key in keys]

    assert await recent.take_or_read(["b", "a", "gone", "c"], reader) == [b"b", b"1", None, b"c"]
    assert read == [["b", "gone", "c"]]


async def test_what_was_taken_leaves_its_room_and_is_read_the_next_time() -> None:
    recent = RecentBodies(_Time())
    recent.remember([("a", b"1"), ("b", b"23")])

    async def reader(keys: list[str]) -> list[Capture | None]:
        return [capture(b"read") for _ in keys]

    assert await recent.take_or_read(["a"], reader) == [b"1"]
    assert recent.size == 2
    assert await recent.take_or_read(["a"], reader) == [b"read"]
