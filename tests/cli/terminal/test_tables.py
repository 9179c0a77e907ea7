"""Tables that can be read at any width, and by programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from lamplighter.cli.terminal.tables import TableColumn, fit

ID = "8a6e0804-2bd0-4672-b79d-d97027f9071a"
URL = "http://127.0.0.1:8061/jobs/9817?from=the+list&page=2"
COLUMNS = (
    TableColumn(heading="ID", rank=0),
    TableColumn(heading="Title", rank=1, least=20),
    TableColumn(heading="By", rank=4, least=10),
    TableColumn(heading="Found", rank=3, is_number=True),
    TableColumn(heading="URL", rank=2),
)
ROW = (ID, "Grants and Compliance Officer of the harbour", "Harbour Relief International", 12, URL)
WHOLE = f"{ID}  Grants and Compliance Officer of the harbour  Harbour Relief International     12  {URL}"


def test_without_a_width_nothing_is_cut() -> None:
    fitted = fit(COLUMNS, [ROW], width=None)

    assert fitted.lines[1] == WHOLE
    assert fitted.left_out == []


@pytest.mark.parametrize(
    ("width", "line", "left_out"),
    [
        pytest.param(200, WHOLE, [], id="wide enough for all"),
        pytest.param(
            140,
            f"{ID}  Grants and Compliance Office…  Harbour R…     12  {URL}",
            [],
            id="shortened, the important less than the rest",
        ),
        pytest.param(120, f"{ID}  Grants and Complianc…     12  {URL}", ["By"], id="one left out"),
        pytest.param(80, f"{ID}  Grants and Compliance…  Harbour R…     12", ["URL"], id="a URL is whole or not there"),
        pytest.param(40, ID, ["Title", "By", "Found", "URL"], id="only what is most important"),
        pytest.param(10, ID, ["Title", "By", "Found", "URL"], id="not even that is cut"),
    ],
)
def test_a_narrow_terminal_gets_what_there_is_room_for(width: int, line: str, left_out: list[str]) -> None:
    fitted = fit(COLUMNS, [ROW], width=width)

    assert fitted.lines[1] == line
    assert fitted.left_out == left_out


def test_two_blanks_part_cells_and_nothing_else() -> None:
    columns = (TableColumn(heading="A", rank=0), TableColumn(heading="B", rank=1), TableColumn(heading="C", rank=2))

    fitted = fit(columns, [("two   blanks\nand a line", None, ""), ("x", "y", "z")], width=None)

    assert [line.split() for line in fitted.lines[2:]] == [["x", "y", "z"]]
    assert fitted.lines[1] == "two blanks and a line  -  -"


@given(st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=5), st.integers(min_value=30, max_value=90))
def test_every_row_is_one_line_that_fits(rows: list[tuple[str, str, str]], width: int) -> None:
    columns = [TableColumn(heading=heading, rank=rank, least=8) for rank, heading in enumerate("abc")]

    fitted = fit(columns, rows, width=width)

    assert len(fitted.lines) == len(rows) + 1
    assert all(cell_len(line) <= width and "\n" not in line for line in fitted.lines)
