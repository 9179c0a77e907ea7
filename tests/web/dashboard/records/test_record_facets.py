"""What are records counted by?"""

import pytest

from lamplighter.web.dashboard.records.record_query import RecordQuery
from lamplighter.web.dashboard.records.records import MOST_READ, names_for

JOBS = RecordQuery(given={"kind": "job"})


@pytest.mark.parametrize(
    ("total", "is_embedded", "is_closely"),
    [
        pytest.param(MOST_READ, True, True, id="few enough to be read"),
        pytest.param(MOST_READ + 1, True, False, id="too many to be read while somebody waits"),
        pytest.param(MOST_READ + 1, False, True, id="a search server need not read them"),
    ],
)
def test_only_few_records_are_read_for_the_sake_of_counting(total: int, is_embedded: bool, is_closely: bool) -> None:
    names = names_for(JOBS, total=total, is_embedded=is_embedded)

    assert {"kind", "source", "country", "language"} <= set(names)
    assert ({"organisation", "level"} <= set(names)) is is_closely
