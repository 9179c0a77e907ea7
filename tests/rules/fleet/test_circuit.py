"""When a server that did not answer is asked again."""

from lamplighter.rules.fleet.circuit import Circuit


def test_while_all_is_well_everybody_may_ask() -> None:
    circuit = Circuit(cooldown=5)

    assert [circuit.may_ask(now) for now in (0, 0, 1)] == [True] * 3
    assert not circuit.answered()


def test_after_a_failure_one_may_try_when_the_rest_is_over() -> None:
    circuit = Circuit(cooldown=5)
    circuit.failed(10)

    assert [circuit.may_ask(now) for now in (11, 14.9, 15, 15, 99)] == [False, False, True, False, False]


def test_only_the_first_failure_and_the_first_answer_are_news() -> None:
    circuit = Circuit(cooldown=5)

    news = [circuit.failed(1), circuit.failed(7), circuit.answered(), circuit.answered(), circuit.failed(20)]

    assert news == [True, False, True, False, True]


def test_a_try_that_fails_begins_another_rest() -> None:
    circuit = Circuit(cooldown=5)
    circuit.failed(0)
    assert circuit.may_ask(5)

    circuit.failed(6)

    assert [circuit.may_ask(now) for now in (10, 11)] == [False, True]


def test_who_is_interrupted_leaves_the_try_to_the_next() -> None:
    circuit = Circuit(cooldown=5)
    circuit.failed(0)
    assert circuit.may_ask(5)

    circuit.given_up()

    assert circuit.is_open
    assert circuit.may_ask(5)
