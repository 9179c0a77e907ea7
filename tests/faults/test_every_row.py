"""The matrix is complete: every row has its telling test here, or says why it cannot have one."""

from tests.faults.matrix import rows
from tests.faults.matrix_tests import named_tests


def test_every_row_has_its_test() -> None:
    named = named_tests()

    without = [row.id for row in rows() if not row.not_testable and (row.id not in named or not named[row.id].telling)]
    excused_in_vain = [row.id for row in rows() if row.not_testable and row.id in named and named[row.id].telling]

    assert without == []
    assert excused_in_vain == []


def test_no_row_has_two_telling_tests() -> None:
    several = {row: [test.name for test in named.telling] for row, named in named_tests().items()}

    assert {row: names for row, names in several.items() if len(names) > 1} == {}


def test_every_name_is_that_of_a_row() -> None:
    known = {row.id for row in rows()}

    assert [row for row in named_tests() if row not in known] == []
    assert len(known) == 90
