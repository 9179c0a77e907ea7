"""Why the sources of a host fail together, in words."""

import pytest

from lamplighter.rules.hosts import host_causes


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        pytest.param("server_error: HTTP 500 (https://a.example/x)", "answers 500", id="a server error"),
        pytest.param("client_error: HTTP 403 (https://a.example/x)", "answers 403", id="a refusal"),
        pytest.param(
            "robots_unreachable: https://a.example/robots.txt could not be fetched (HTTP 503), so …",
            "answers 503 for robots.txt",
            id="robots.txt",
        ),
        pytest.param("timeout: no answer (https://a.example/x)", "does not answer in time", id="a time-out"),
        pytest.param("not_found: HTTP 404 (https://a.example/x)", None, id="a page of its own that is missing"),
        pytest.param("3 pages (0 unchanged, 0 refused, 0 failed), 2 records", None, id="no failure"),
        pytest.param(None, None, id="nothing said"),
    ],
)
def test_the_message_of_a_run_tells_what_its_host_does(message: str | None, cause: str | None) -> None:
    assert host_causes.of_message(message) == cause


@pytest.mark.parametrize(
    ("failing", "waiting", "said"),
    [
        (5, 35, "host a.example answers 500: 5 sources failing, 35 waiting"),
        (1, 2, "host a.example answers 500: 1 source failing, 2 waiting"),
        (0, 1, "host a.example answers 500: 1 source waiting"),
        (2, 0, "host a.example answers 500: 2 sources failing"),
    ],
)
def test_the_sentence_counts_what_fails_and_what_waits(failing: int, waiting: int, said: str) -> None:
    assert host_causes.sentence("a.example", "answers 500", failing=failing, waiting=waiting) == said
