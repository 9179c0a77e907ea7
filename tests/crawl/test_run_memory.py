"""What is remembered of open runs, and that it never becomes too much."""

from lamplighter.crawl import run_memory
from lamplighter.crawl.run_memory import RunMemory
from lamplighter.model.reading import Role


def test_a_url_is_offered_to_a_run_once_in_each_role() -> None:
    memory = RunMemory()

    memory.offered(1, [(Role.LINK, "/a")])

    assert memory.not_offered(1, Role.LINK, ["/a", "/b"]) == ["/b"]
    assert memory.not_offered(1, Role.LISTING, ["/a"]) == ["/a"]
    assert memory.not_offered(2, Role.LINK, ["/a"]) == ["/a"]


def test_beyond_a_number_of_urls_the_quietest_run_is_forgotten() -> None:
    memory = RunMemory(most_urls=3)

    memory.offered(1, [(Role.LINK, "/a"), (Role.LINK, "/b")])
    memory.offered(2, [(Role.LINK, "/c"), (Role.LINK, "/d")])

    assert memory.not_offered(1, Role.LINK, ["/a"]) == ["/a"]
    assert memory.not_offered(2, Role.LINK, ["/c"]) == []


def test_runs_that_ended_in_other_processes_are_forgotten_in_the_end() -> None:
    memory = RunMemory()

    for run_id in range(run_memory.MOST_RUNS + 10):
        memory.offered(run_id, [(Role.LINK, "/a")])

    assert memory.not_offered(0, Role.LINK, ["/a"]) == ["/a"]
    assert memory.not_offered(run_memory.MOST_RUNS, Role.LINK, ["/a"]) == []
