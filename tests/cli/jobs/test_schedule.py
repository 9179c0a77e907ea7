"""`lamplighter schedule`: the coming day, rebalancing, policies of tags."""

from tests.cli.conftest import Lamplighter


def test_an_empty_day_is_shown_and_says_what_is_missing(lamplighter: Lamplighter) -> None:
    shown = lamplighter("schedule", "show")

    assert shown.code == 0
    assert "Runs: 0, at most 0 in a quarter-hour; balance 1.00 of 1" in shown.out
    assert "The budget was not distributed yet" in shown.out


def test_programs_get_the_slots_of_the_day(lamplighter: Lamplighter) -> None:
    shown = lamplighter("schedule", "show", "--json").json

    assert len(shown["load"]["starts"]) == 96
    assert (shown["score"], shown["pricing"]["price"]) == (1.0, None)


def test_a_rebalance_says_what_moves(lamplighter: Lamplighter) -> None:
    preview, applied = lamplighter("schedule", "rebalance"), lamplighter("schedule", "rebalance", "--apply")

    assert preview.out == "0 jobs would move; balance 1.00 → 1.00\n  no run is planned for the next 24 hours\n"
    assert applied.out == "0 jobs moved; balance 1.00 → 1.00\n  no run is planned for the next 24 hours\n"


def test_a_tag_gets_a_policy_or_none(lamplighter: Lamplighter) -> None:
    given, taken_back = lamplighter("schedule", "tag", "sea", "fixed"), lamplighter("schedule", "tag", "sea", "none")

    assert (given.out, taken_back.out) == ("sea: policy fixed\n", "sea: policy none\n")


def test_an_unknown_policy_is_refused(lamplighter: Lamplighter) -> None:
    answer = lamplighter("schedule", "tag", "sea", "whim")

    assert answer.code == 2
    assert "policy 'whim' is unknown; use fixed" in answer.err


def test_a_comparison_needs_visits_that_saw_a_change(lamplighter: Lamplighter) -> None:
    answer = lamplighter("schedule", "compare")

    assert answer.code != 0
    assert "seen no change yet" in answer.err
