"""The schema of the database."""

from pathlib import Path

import pytest

from lamplighter.store.schema import migrate, postgres_script
from tests.cli.conftest import Lamplighter


@pytest.fixture
def database(environment: dict[str, str]) -> Path:
    return Path(environment["LAMPLIGHTER_DATA_DIR"]) / "lamplighter.db"


def test_upgrading_creates_the_database_and_is_harmless_twice(lamplighter: Lamplighter, database: Path) -> None:
    before = lamplighter("db", "current", "--json").json
    answers = [lamplighter("db", "upgrade"), lamplighter("db", "upgrade")]

    assert before == {"current": None, "head": migrate.head()}
    assert [answer.code for answer in answers] == [0, 0]
    assert lamplighter("db", "current", "--json").json["current"] == migrate.head()
    assert database.exists()


def test_looking_does_not_create_a_database(lamplighter: Lamplighter, database: Path) -> None:
    lamplighter("db", "current")

    assert not database.exists()


def test_the_script_for_postgresql_is_printed_whole(lamplighter: Lamplighter) -> None:
    answer = lamplighter("db", "sql")

    assert answer.out == postgres_script.text()
