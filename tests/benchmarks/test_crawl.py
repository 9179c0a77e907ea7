"""Which of several rounds of a crawl counts."""

from datetime import timedelta

import pytest

from benchmarks.contenders import OURS, Result, Tally
from benchmarks.crawl import middle
from benchmarks.measuring.measure import Measurement

PAGES = 1_000


def _round(cpu_seconds: float, *, exit_code: int = 0) -> Result:
    measurement = Measurement(
        exit_code=exit_code,
        cpu=timedelta(seconds=cpu_seconds),
        wall=timedelta(seconds=1),
        peak_rss_bytes=1,
        left_behind=0,
        stdout="",
        stderr="",
    )
    tally = Tally(pages=PAGES, items=PAGES, links=0)
    return Result(contender=OURS, measurement=measurement, tally=tally, requests=PAGES, expected=PAGES)


@pytest.mark.parametrize(
    ("costs", "shown"),
    [
        pytest.param([2.0], 2.0, id="the only one"),
        pytest.param([2.0, 9.0, 2.5], 2.5, id="neither the best nor the worst"),
    ],
)
def test_the_round_in_the_middle_counts(costs: list[float], shown: float) -> None:
    found = middle([_round(cost) for cost in costs])

    assert found is not None
    assert found.cpu_seconds_per_1000 == shown


def test_a_round_that_may_not_be_believed_spoils_the_others() -> None:
    found = middle([_round(2.0), _round(2.1, exit_code=1), _round(2.2)])

    assert found is not None
    assert found.complaint == "ended with 1"


def test_without_a_round_there_is_none() -> None:
    assert middle([]) is None
