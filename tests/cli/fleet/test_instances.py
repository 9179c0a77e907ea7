"""`lamplighter instances`, and the duties of processes."""

import pytest

from tests.cli.conftest import Lamplighter


def test_without_a_process_it_says_how_to_start_one(lamplighter: Lamplighter) -> None:
    answer = lamplighter("instances")

    assert (answer.code, answer.out) == (0, "")
    assert "lamplighter serve" in answer.err


def test_programs_get_a_list(lamplighter: Lamplighter) -> None:
    assert lamplighter("instances", "--json").json == []


@pytest.mark.parametrize("duties", ["fetch,pares", "", "schedule parse"])
def test_an_unknown_duty_is_refused_with_those_that_exist(
    lamplighter: Lamplighter, monkeypatch: pytest.MonkeyPatch, duties: str
) -> None:
    monkeypatch.setenv("LAMPLIGHTER_DUTIES", duties)

    answer = lamplighter("worker")

    assert answer.code == 2
    assert "fetch, parse, schedule" in answer.err


@pytest.mark.parametrize("address", ["redis://u:hunter2@127.0.0.1:1/", "amqp://u:hunter2@127.0.0.1:x/", "amqp:///"])
def test_a_queue_that_is_no_rabbitmq_is_refused_without_its_password(
    lamplighter: Lamplighter, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("LAMPLIGHTER_QUEUE_URL", address)

    answer = lamplighter("worker")

    assert answer.code == 2
    assert "amqp://" in answer.err
    assert "hunter2" not in answer.err + answer.out


def test_a_worker_is_there_for_both_halves_of_the_work_or_for_one(lamplighter: Lamplighter) -> None:
    answer = lamplighter("worker", "--only", "schedule")

    assert answer.code == 2
    assert "fetch" in answer.err
