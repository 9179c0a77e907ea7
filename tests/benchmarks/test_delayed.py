"""How late a page was asked for, by the site's log."""

from benchmarks.delayed import _DELAY_SECONDS, Asked, lateness


def test_a_page_is_due_when_the_delay_after_the_answer_before_is_over() -> None:
    slow, quick = Asked(0.0, 2.0), Asked(2.0 + _DELAY_SECONDS, 3.0)

    found = lateness({"a": [slow, quick]}, slots=1, cpu_seconds=1.0)

    assert found.worst == 0.0


def test_lateness_is_that_of_all_hosts_and_of_no_first_page() -> None:
    in_time = [Asked(9.0, 9.0), Asked(9.0 + _DELAY_SECONDS, 10.0)]
    late = [Asked(0.0, 0.0), Asked(7.0 + _DELAY_SECONDS, 8.0)]

    found = lateness({"a": in_time, "b": late}, slots=1, cpu_seconds=1.0)

    assert (found.worst, found.cpu_ms) == (7.0, 250.0)
