"""The parts of the benchmarks, with numbers so small that their figures mean nothing."""

import importlib
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import claims, real_pages, run
from benchmarks.measuring import results_page
from benchmarks.measuring.findings import Figure, Findings, Part, Sheet, Size
from benchmarks.measuring.results_page import Outcome
from benchmarks.parts import PARTS
from benchmarks.real_pages import Judged

#: what needs neither nginx, nor PostgreSQL, nor the peers' environment, nor seconds
QUICK = ("extraction", "robots_urls", "deciding")
PROGRAMS = (
    *("run", "crawl", "stages", "growth", "claims", "lists", "deciding", "latency", "fleet", "crashes"),
    *("soak.__main__", "soak.origins"),
)
NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize("name", QUICK)
def test_a_part_answers_with_tables_whose_rows_fill_their_columns(name: str) -> None:
    part = next(part for part in PARTS if part.name == name)

    found = part.run(Size.TINY, lambda _: None)

    assert found.sheets
    assert all(len(row) == len(sheet.headings) for sheet in found.sheets for row in sheet.rows)


def test_every_part_has_a_name_of_its_own_under_which_it_is_a_program() -> None:
    names = [part.name for part in PARTS]

    assert len(set(names)) == len(names)
    assert all(callable(importlib.import_module(f"benchmarks.{name}").main) for name in names)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_says_what_it_takes(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])

    with pytest.raises(SystemExit) as end:
        importlib.import_module(f"benchmarks.{name}").main()

    assert end.value.code == 0
    assert "usage:" in capsys.readouterr().out


def _part(findings: Findings) -> Part:
    return Part(name="lamps", title="Lamps", about="How many are lit.", run=lambda size, tell: findings)


FOUND = Findings(
    figures=(Figure(name="lit", value=7, unit="lamps", at_least=8), Figure(name="oil", value=2, unit="l", at_most=3)),
    sheets=(Sheet(title="By street", headings=("", "lit"), rows=(("Quay", "7"),), note="At night."),),
    texts=(("How", "one by one"),),
)


def test_what_was_found_reads_the_same_on_the_page_when_it_was_kept_for_later(tmp_path: Path) -> None:
    outcome = Outcome(part="lamps", size=Size.FULL, at=NOON, seconds=60, findings=FOUND)
    outcome.write(tmp_path)

    again = results_page.kept(tmp_path, "lamps")

    assert again == outcome
    text = results_page.text([_part(FOUND)], {"lamps": again})
    assert "| Lamps: lit | at least 8 lamps | 7 lamps | **missed** |" in text
    assert "| Lamps: oil | at most 3 l | 2 l | met |" in text
    assert "| Quay | 7 |" in text
    assert "are older" not in text


def test_what_was_never_measured_here_stays_on_the_page_as_it_was() -> None:
    street = Part(name="street", title="Streets", about="How long.", run=lambda size, tell: FOUND)
    lamps = Outcome(part="lamps", size=Size.FULL, at=NOON, seconds=60, findings=FOUND)
    before = results_page.text([_part(FOUND), street], {"lamps": lamps})

    after = results_page.text([_part(FOUND), street], {"street": replace(lamps, part="street")}, before=before)

    assert "*not measured on this machine yet*" in before
    assert "not measured" not in after
    assert "parts that were not run then are older" in after
    assert after.count("| Quay | 7 |") == 2
    assert after.count("| Lamps: oil | at most 3 l | 2 l | met |") == 1
    assert results_page.text([_part(FOUND), street], {"street": replace(lamps, part="street")}, before=after) == after


def test_a_part_that_fails_is_told_of_and_does_not_keep_the_others_from_it(tmp_path: Path) -> None:
    def fail(size: Size, tell: object) -> Findings:
        raise ExceptionGroup("some", [ExceptionGroup("more", [RuntimeError("nginx is missing")])])

    broken = Part(name="broken", title="Broken", about="", run=fail)

    outcomes = run.measured([broken, _part(FOUND)], Size.TINY, results=tmp_path, console=run.Console(quiet=True))

    assert [outcome.problem for outcome in outcomes] == ["could not be measured: RuntimeError: nginx is missing", ""]
    assert [run.exit_code(some) for some in (outcomes, outcomes[:1], outcomes[1:], [])] == [1, 1, 1, 0]


def test_claiming_is_shown_with_the_plans_by_which_due_jobs_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "TRIES", 4)

    found = claims.measured([200], ["sqlite"], tell=lambda _: None)

    assert [row[0] for row in found.sheets[0].rows] == list(claims.MIXES)
    assert "SEARCH crawl_jobs USING INDEX ix_crawl_jobs_queue" in found.texts[0][1]


def test_what_costs_less_than_a_millisecond_does_not_count_as_growth() -> None:
    assert claims.growth([0.1, 0.9]) == 1
    assert claims.growth([2.0, 5.0]) == 2.5


def test_a_part_that_lacks_what_it_needs_is_left_out_and_keeps_its_figures(tmp_path: Path) -> None:
    kept = Outcome(part="lamps", size=Size.FULL, at=NOON, seconds=60, findings=FOUND)
    kept.write(tmp_path)
    console = Console(record=True, width=200)
    part = replace(_part(Findings()), missing=lambda: "the oil is not there")

    assert run.measured([part], Size.FULL, results=tmp_path, console=console) == []

    assert results_page.kept(tmp_path, "lamps") == kept
    assert "Lamps: left out, for the oil is not there" in console.export_text()


def test_the_curve_shows_what_share_of_the_records_of_a_confidence_is_right() -> None:
    judged = [Judged(0.3, False), Judged(0.72, True), Judged(0.79, False), Judged(0.9, True), Judged(1.0, True)]

    sheet = real_pages.curve(judged)

    assert sheet.rows == (
        ("0.0 to 0.5", "1", "0", "0.000"),
        ("0.7 to 0.8", "2", "1", "0.500"),
        ("0.9 to 1.0", "2", "2", "1.000"),
    )


def test_real_pages_are_left_out_where_they_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_pages, "PAGES", tmp_path)

    assert real_pages.PART.missing() == "../shared/real-pages is not there"
