"""What is remembered of open runs, and that it never becomes too much."""

from lamplighter.crawl.runs import run_memory
from lamplighter.crawl.runs.run_memory import RunMemory
from lamplighter.model.reading import PageRole


def test_a_url_is_offered_to_a_run_once_in_each_role() -> None:
    memory = RunMemory()

    memory.offered(1, [(PageRole.LINK, "/a")])

    assert memory.not_offered(1, PageRole.LINK, ["/a", "/b"]) == ["/b"]
    assert memory.not_offered(1, PageRole.LISTING, ["/a"]) == ["/a"]
    assert memory.not_offered(2, PageRole.LINK, ["/a"]) == ["/a"]


def test_beyond_a_number_of_urls_the_quietest_run_is_forgotten() -> None:
    memory = RunMemory(most_urls=3)

    memory.offered(1, [(PageRole.LINK, "/a"), (PageRole.LINK, "/b")])
    memory.offered(2, [(PageRole.LINK, "/c"), (PageRole.LINK, "/d")])

    assert memory.not_offered(1, PageRole.LINK, ["/a"]) == ["/a"]
    assert memory.not_offered(2, PageRole.LINK, ["/c"]) == []


def test_runs_that_ended_in_other_processes_are_forgotten_in_the_end() -> None:
    memory = RunMemory()

    for run_id in range(run_memory.MOST_RUNS + 10):
        memory.offered(run_id, [(PageRole.LINK, "/a")])

    assert memory.not_offered(0, PageRole.LINK, ["/a"]) == ["/a"]
    assert memory.not_offered(run_memory.MOST_RUNS, PageRole.LINK, ["/a"]) == []
