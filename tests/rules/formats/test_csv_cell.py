"""Cells that a spreadsheet may open."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamplighter.rules.formats import csv_cell

TRIGGERS = "=+-@\t\r\n＝＋－＠|%"


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        pytest.param(None, "", id="nothing"),
        pytest.param(True, "true", id="a claim"),
        pytest.param(-12.5, "-12.5", id="a number below zero is a number"),
        pytest.param("-12.5", "-12.5", id="so is its text"),
        pytest.param("Lamp, lit", "Lamp, lit", id="text is left as it is; quoting is the writer's work"),
        pytest.param("=1+1", "'=1+1", id="a formula"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="an old formula"),
        pytest.param("-2+cmd|' /C calc'!A0", "'-2+cmd|' /C calc'!A0", id="a command"),
        pytest.param("  =1", "'  =1", id="a formula behind spaces"),
        pytest.param("\ufeff=1", "'\ufeff=1", id="a formula behind an invisible character"),
        pytest.param("＝1", "'＝1", id="a full-width formula"),
        pytest.param("\tx", "'\tx", id="a tab that opens the next cell"),
        pytest.param(["night", "day"], "night; day", id="words"),
        pytest.param(["=night"], "'=night", id="words that begin a formula"),
        pytest.param({"min": 1}, '{"min":1}', id="a structure"),
    ],
)
def test_a_value_becomes_a_cell(value: object, cell: str) -> None:
    assert csv_cell.safe(value) == cell


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_begins_a_formula_and_none_is_lost(text: str) -> None:
    cell = csv_cell.safe(text)

    is_number = text.lstrip("+-").replace(".", "", 1).isdigit()
    assert cell[:1] not in TRIGGERS or not cell or is_number
    assert cell in (text, f"'{text}")
    assert csv_cell.as_written(cell) == text


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")), min_size=2))
def test_a_row_of_cells_is_read_back_whole(texts: list[str]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerow([csv_cell.safe(text) for text in texts])

    (row,) = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert row == [csv_cell.safe(text) for text in texts]
