"""`lamplighter jobs`: pause, resume, cancel, retry, run."""

import pytest

from tests.cli.conftest import Lamplighter
from tests.origin import ThreadedOrigin


@pytest.fixture
def url(lamplighter: Lamplighter, site: ThreadedOrigin) -> str:
    """A source that has a job, because it was crawled."""
    lamplighter("sources", "add", site.url + "/jobs", "--depth", "page")
    assert lamplighter("crawl", site.url + "/jobs").code == 0
    return site.url + "/jobs"


def _state(lamplighter: Lamplighter) -> tuple[str, str | None]:
    (source,) = lamplighter("sources", "list", "--json").json
    return source["state"], source["pause_reason"]


def test_a_job_is_paused_resumed_run_and_cancelled(lamplighter: Lamplighter, url: str) -> None:
    states = []
    for action in ("pause", "resume", "run", "cancel"):
        answer = lamplighter("jobs", action, url)
        states.append((answer.code, *_state(lamplighter)))

    assert states == [
        (0, "paused", "user"),
        (0, "scheduled", None),
        (0, "running", None),
        (0, "cancelled", None),
    ]


@pytest.mark.parametrize(
    ("words", "state"),
    [(("pause",), ("paused", "user")), (("pause", "--stop-run"), ("paused", "user")), (("stop",), ("scheduled", None))],
)
def test_a_running_job_is_paused_or_stopped(
    lamplighter: Lamplighter, url: str, words: tuple[str, ...], state: tuple[str, str | None]
) -> None:
    lamplighter("jobs", "run", url)

    answer = lamplighter("jobs", *words, url)

    assert (answer.code, _state(lamplighter)) == (0, state)


def test_what_is_not_possible_is_refused_in_one_sentence(lamplighter: Lamplighter, url: str) -> None:
    answer = lamplighter("jobs", "retry", url)

    assert answer.code == 1
    assert answer.err == (
        "Error: cannot retry a crawl job that is scheduled; from here it can only pause, cancel or run\n"
    )


def test_a_url_that_is_not_watched_has_no_job(lamplighter: Lamplighter) -> None:
    answer = lamplighter("jobs", "pause", "https://nowhere.example/")

    assert (answer.code, answer.out) == (1, "")
    assert "lamplighter sources list" in answer.err
