"""How the soak judges what it saw."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.soak import page
from benchmarks.soak.log_lines import counts
from benchmarks.soak.page import real_verdicts, virtual_verdicts
from benchmarks.soak.picture import Curve, svg
from benchmarks.soak.samples import Sample, folder_sizes, needed_mb, process_sizes, slope, staleness
from benchmarks.soak.sites import Rhythm, SoakSite
from lamplighter.store.engine.database import Database
from lamplighter.store.pages import bodies
from lamplighter.store.pages.bodies import NewBody
from lamplighter.store.schema import migrate
from tests.origin import Answer, Origin, Request

QUIET = dict.fromkeys(Sample.__slots__, 1)


FOUND = {
    "sources": 300,
    "visits": {"200": 40},
    "politeness": {"count": 0},
    "runs": {"sources_crawled": 300, "outcomes": {"ok": 100}},
}


def _samples(**by_the_minute: float) -> list[Sample]:
    """Thirty minutes in which some figures grow."""
    return [
        Sample(
            **(QUIET | {"at": minute, "errors": 0, "rss_mb": 100.0})
            | {name: 100 + minute * growth for name, growth in by_the_minute.items()}
        )
        for minute in range(31)
    ]


def test_a_service_that_stays_as_it_is_passes() -> None:
    verdicts = list(real_verdicts(FOUND, _samples()))

    assert all(verdict.holds for verdict in verdicts)


@pytest.mark.parametrize(
    ("name", "growth", "claim"),
    [
        ("rss_mb", 0.2, "memory"),
        ("rss_mb", 1.2 / 60, "memory"),
        ("open_files", 4.0, "open files"),
        ("connections", 4.0, "connections"),
        ("threads", 0.1, "threads"),
        ("wal_mb", 0.1, "write-ahead log"),
    ],
)
def test_what_grows_a_little_every_minute_fails(name: str, growth: float, claim: str) -> None:
    verdicts = real_verdicts(FOUND, _samples(**{name: growth}))

    assert [verdict.claim for verdict in verdicts if not verdict.holds] == [claim]


@pytest.mark.parametrize(
    ("name", "growth", "claim"),
    [
        ("needed_mb", 0.3, "what the archive keeps"),
        ("database_mb", 0.3, "database"),
        ("archive_mb", 0.5, "archive, second half"),
    ],
)
def test_disk_that_fills_a_little_every_hour_fails(name: str, growth: float, claim: str) -> None:
    even = {"needed_mb": 0.0, "archive_mb": 0.0}

    verdicts = virtual_verdicts(FOUND, _samples(**even | {name: growth}))

    assert [verdict.claim for verdict in verdicts if not verdict.holds] == [claim]


def test_an_archive_that_takes_much_more_than_it_keeps_fails_though_it_does_not_grow() -> None:
    hours = [replace(sample, archive_mb=10.5, needed_mb=8.0) for sample in _samples()]

    assert [verdict.claim for verdict in virtual_verdicts(FOUND, hours) if not verdict.holds] == ["archive on the disk"]


def test_an_archive_of_more_than_twice_what_it_keeps_fails_though_it_is_so_for_one_hour_only() -> None:
    hours = [replace(sample, archive_mb=10.0, needed_mb=8.0) for sample in _samples()]
    hours[25] = replace(hours[25], archive_mb=16.1)

    (failed,) = [verdict for verdict in virtual_verdicts(FOUND, hours) if not verdict.holds]

    assert failed.claim == "archive on the disk"
    assert failed.measured == "1.25 times what it keeps, once 2.01 times"


@pytest.mark.parametrize(
    ("wrong", "claim"),
    [
        ({"politeness": {"count": 1}}, "the witness finds no violation"),
        ({"visits": {"200": 40, "500": 1}}, "every visit is answered"),
        ({"runs": {"sources_crawled": 299, "outcomes": {"ok": 100}}}, "every source is crawled"),
        ({"runs": {"sources_crawled": 300, "outcomes": {"ok": 80, "fail": 20}}}, "nine runs in ten are good"),
    ],
)
def test_what_went_wrong_once_fails(wrong: dict[str, object], claim: str) -> None:
    verdicts = real_verdicts(FOUND | wrong, _samples())

    assert [verdict.claim for verdict in verdicts if not verdict.holds] == [claim]


def test_one_odd_moment_does_not_move_the_slope() -> None:
    level = [(float(minute), 5.0) for minute in range(20)]

    assert slope([*level, (20.0, 500.0)]) == 0


def test_whatever_is_no_line_of_our_log_counts_as_an_error() -> None:
    lines = [
        '{"level": "warning", "event": "slow"}',
        "Traceback (most recent call last):",
        "Stopping after the work in progress",
    ]

    assert counts(lines) == {"warning slow": 1, "error Traceback (most recent call last):": 1}


def test_sizes_are_read_from_the_system_and_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    for name, size in (("lamplighter.db", 3), ("lamplighter.db-wal", 2), ("archive/segment", 1)):
        (tmp_path / name).write_bytes(bytes(size * 1_000_000))

    assert folder_sizes(tmp_path) == {"database_mb": 3, "wal_mb": 2, "archive_mb": 1}
    assert process_sizes(os.getpid()).keys() == {"rss_mb", "open_files", "threads", "connections"}


async def test_what_is_needed_of_an_archive_is_what_the_database_knows(tmp_path: Path) -> None:
    async with Database(f"sqlite:///{tmp_path}/lamplighter.db") as db:
        await migrate.upgrade(db)
        new = [NewBody(f"{number}", f"key {number}", "segment", 1_500_000, 9_000_000) for number in range(2)]
        await db.write(lambda connection: bodies.hold(connection, new, hashes=[]))

    assert needed_mb(tmp_path) == 3


def test_a_part_without_figures_stands_on_the_page_as_it_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = "# Soak\n\n## Real time\n\nThirty minutes.\n\n| a |\n\n## Virtual time\n\nSeven days.\n"
    (tmp_path / "soak.md").write_text(before)
    monkeypatch.setattr(page, "DOCS", tmp_path)

    verdicts = page.write(tmp_path / "nothing was soaked")

    after = (tmp_path / "soak.md").read_text()
    assert verdicts == []
    assert after.partition("## Real time")[2] == before.partition("## Real time")[2]


def test_the_last_staleness_that_was_measured_stands_beside_what_was_promised_then(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "lamplighter.db")) as db, db:
        db.execute("CREATE TABLE samples (step, expected_staleness, measured_staleness)")
        db.executemany("INSERT INTO samples VALUES (?, ?, ?)", [(1, 0.1, 0.2), (2, 0.05, 0.07), (3, 0.04, None)])

    found = staleness(tmp_path)

    assert found == {"promised": 0.05, "measured": 0.07}


def test_the_picture_is_an_svg_with_a_path_for_every_curve() -> None:
    curves = [Curve(name="memory & more", of=lambda sample: sample.rss_mb), Curve(name="none", of=lambda _: 0)]

    drawn = ElementTree.fromstring(svg(_samples(), curves, unit="minutes"))

    assert len(drawn.findall("{http://www.w3.org/2000/svg}path")) == 2


def _ask(site: SoakSite, path: str, **headers: str) -> Answer:
    return site.answer(Request(method="GET", target=path, headers=headers))


def test_a_site_answers_304_until_its_page_is_rewritten() -> None:
    now = [0.0]
    site = SoakSite(12, Origin(), rhythm=Rhythm(change_seconds=90, total_seconds=1800), seconds=lambda: now[0])
    first = _ask(site, "/")

    same = _ask(site, "/", **{"if-none-match": first.headers["ETag"]})
    now[0] = 91
    rewritten = _ask(site, "/", **{"if-none-match": first.headers["ETag"]})

    assert (first.status, same.status, rewritten.status) == (200, 304, 200)
    assert rewritten.body != first.body


def test_a_site_in_trouble_is_calm_until_its_pages_were_seen_and_then_fails_now_and_then() -> None:
    site = SoakSite(15, Origin(), rhythm=Rhythm(change_seconds=90, total_seconds=1800), seconds=lambda: 0.0)

    statuses = [_ask(site, "/").status for _ in range(35)]

    assert set(statuses[:20]) == {200}
    assert statuses[20:].count(500) == 3
