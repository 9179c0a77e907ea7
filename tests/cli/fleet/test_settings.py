"""`lamplighter settings`: what can be changed while the service runs."""

from tests.cli.conftest import Lamplighter


def test_a_change_is_kept_and_its_origin_shown(lamplighter: Lamplighter) -> None:
    done = lamplighter("settings", "set", "budget_per_hour", "2000")
    shown = lamplighter("settings", "show", "budget_per_hour", "--json").json[0]
    back = lamplighter("settings", "reset", "budget_per_hour")

    assert done.code == back.code == 0
    assert done.out.startswith("budget_per_hour = 2000  (changed by command line, ")
    assert (shown["value"], shown["default"], shown["source"]) == (2000, None, "changed")
    assert back.out.startswith("budget_per_hour = unset  (default)")


def test_what_cannot_be_changed_says_why_and_what_would_work(lamplighter: Lamplighter) -> None:
    refused = [
        lamplighter("settings", "set", *words)
        for words in (
            ("keep_runs", "0"),
            ("keep_runs", "1e99"),
            ("min_delay_ms", "5"),
            ("port", "8070"),
            ("keep_rums", "5"),
        )
    ]

    assert all(each.code for each in refused)
    for each, words in zip(
        refused,
        (
            "keep_runs='0' must be at least 1",
            "keep_runs='1e99' must be a whole number",
            "set by LAMPLIGHTER_MIN_DELAY_MS",
            "set LAMPLIGHTER_PORT in the environment and restart",
            "there is no setting 'keep_rums'",
        ),
        strict=True,
    ):
        assert words in " ".join(each.err.split())


def test_all_of_them_are_shown(lamplighter: Lamplighter) -> None:
    lines = lamplighter("settings", "show").out.splitlines()

    assert "keep_runs = 100  (default)" in lines
    assert "min_delay_ms = 10  (set by LAMPLIGHTER_MIN_DELAY_MS)" in lines
