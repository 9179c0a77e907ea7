"""`lamplighter user`, `token` and `secrets`: who may come in, and what nobody sees."""

import sqlite3
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from typer.testing import CliRunner

from lamplighter.cli.main import app
from tests.cli.conftest import Lamplighter

PASSWORD = "four plain words\n"


@pytest.fixture
def piped(environment: dict[str, str]) -> Lamplighter:
    """Runs a command with something on its standard input: `piped("value", "secrets", "set", "key")`."""

    def run(text: str, *words: str, **extra: str) -> object:
        return CliRunner().invoke(app, list(words), input=text, env=environment | extra)

    return run


def stored(environment: dict[str, str], query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(Path(environment["LAMPLIGHTER_DATA_DIR"]) / "lamplighter.db") as db:
        return db.execute(query).fetchall()


def test_a_user_is_added_listed_and_disabled(lamplighter: Lamplighter, piped: Lamplighter) -> None:
    added = piped(PASSWORD, "user", "add", "Anna", "--role", "admin", "--password-stdin")
    piped(PASSWORD, "user", "add", "ben", "--role", "admin", "--password-stdin")
    lamplighter("user", "disable", "ben")
    listed = lamplighter("user", "list", "--json")

    assert added.stdout == "anna may log in as admin.\n"
    assert [(user["name"], user["role"], user["enabled"]) for user in listed.json] == [
        ("anna", "admin", True),
        ("ben", "admin", False),
    ]


def test_the_last_admin_cannot_be_disabled(lamplighter: Lamplighter, piped: Lamplighter) -> None:
    piped(PASSWORD, "user", "add", "anna", "--role", "admin", "--password-stdin")

    answer = lamplighter("user", "disable", "anna")

    assert answer.code == 1
    assert "last admin" in answer.err


def test_a_password_is_stored_as_a_hash_and_setting_it_ends_sessions(
    piped: Lamplighter, environment: dict[str, str]
) -> None:
    piped(PASSWORD, "user", "add", "anna", "--password-stdin")
    before = stored(environment, "SELECT password_hash, session_epoch FROM users")
    changed = piped("five other plain words\n", "user", "password", "anna", "--password-stdin")
    after = stored(environment, "SELECT password_hash, session_epoch FROM users")

    assert changed.exit_code == 0
    assert str(before[0][0]).startswith("$argon2id$")
    assert before[0][0] != after[0][0]
    assert after[0][1] == before[0][1] + 1


@pytest.mark.parametrize(
    ("words", "text", "said"),
    [
        (["user", "add", "anna", "--password-stdin"], "short\n", "12 to 1000"),
        (["user", "add", "an na", "--password-stdin"], PASSWORD, "user name"),
        (["user", "add", "anna"], PASSWORD, "--password-stdin"),
        (["user", "add", "anna", "--role", "root", "--password-stdin"], PASSWORD, "root"),
        (["secrets", "set", "1st"], "a", "use a letter"),
        (["secrets", "set", "key"], "", "printable"),
        (["token", "create", " "], "", "name"),
        (["token", "revoke", "nonsense"], "", "token_id"),
    ],
)
def test_what_cannot_be_used_is_refused(piped: Lamplighter, words: list[str], text: str, said: str) -> None:
    answer = piped(text, *words)

    assert answer.exit_code == 2
    assert said in answer.stderr


def test_a_token_is_printed_once_and_its_hash_is_kept(lamplighter: Lamplighter, environment: dict[str, str]) -> None:
    made = lamplighter("token", "create", "ci", "--role", "viewer", "--days", "7")
    listed = lamplighter("token", "list", "--json")
    revoked = lamplighter("token", "revoke", listed.json[0]["id"])

    token = made.out.strip()
    assert token.startswith("lamp_")
    assert len(token) == 48
    assert listed.json[0]["prefix"] == token[:12]
    assert token not in listed.out + str(stored(environment, "SELECT * FROM api_tokens, audit_log"))
    assert revoked.code == 0
    assert "revoked" in lamplighter("token", "list").out


def test_an_unknown_token_cannot_be_revoked(lamplighter: Lamplighter) -> None:
    answer = lamplighter("token", "revoke", "7f0c2b0e-6f53-4a37-9a57-0f4f7a1f6f11")

    assert answer.code == 1
    assert "7f0c2b0e" in answer.err


def test_a_secret_is_kept_from_standard_input_and_encrypted(
    lamplighter: Lamplighter, piped: Lamplighter, environment: dict[str, str]
) -> None:
    kept = piped("s3cr3t\n", "secrets", "set", "Board", "--host", "api.example.org")

    assert kept.exit_code == 0
    assert [known["name"] for known in lamplighter("secrets", "list", "--json").json] == ["board"]
    assert "s3cr3t" not in str(stored(environment, "SELECT * FROM secrets, audit_log"))
    assert lamplighter("secrets", "remove", "board").code == 0
    assert lamplighter("secrets", "list").out == ""


def test_rotating_encrypts_everything_under_a_new_key(
    lamplighter: Lamplighter, piped: Lamplighter, environment: dict[str, str]
) -> None:
    keys = Path(environment["LAMPLIGHTER_DATA_DIR"]) / "keys"
    piped("s3cr3t", "secrets", "set", "board", "--host", "api.example.org")
    old = keys.read_text().split()[0]
    with sqlite3.connect(keys.with_name("lamplighter.db")) as db:
        db.execute(
            "INSERT INTO proxies (protocol, address, port, encrypted_password, enabled, created_at, updated_at) "
            "VALUES ('http', 'a', 1, ?, 1, 0, 0)",
            (Fernet(old).encrypt(b"p4ss"),),
        )

    rotated = lamplighter("secrets", "rotate")

    new = Fernet(keys.read_text().split()[0])
    sealed = stored(environment, "SELECT encrypted_value FROM secrets UNION SELECT encrypted_password FROM proxies")
    assert "2 re-encrypted" in rotated.out
    assert sorted(new.decrypt(value) for (value,) in sealed) == [b"p4ss", b"s3cr3t"]


def test_rotating_under_keys_from_outside_uses_the_first(
    lamplighter: Lamplighter, piped: Lamplighter, environment: dict[str, str]
) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    piped("s3cr3t", "secrets", "set", "board", "--host", "api.example.org", LAMPLIGHTER_ENCRYPTION_KEYS=old)

    rotated = lamplighter("secrets", "rotate", LAMPLIGHTER_ENCRYPTION_KEYS=f"{new}, {old}")

    ((sealed,),) = stored(environment, "SELECT encrypted_value FROM secrets")
    assert rotated.code == 0
    assert Fernet(new).decrypt(sealed) == b"s3cr3t"
    assert not (Path(environment["LAMPLIGHTER_DATA_DIR"]) / "keys").exists()


def test_rotating_names_what_no_key_opens_and_goes_on(lamplighter: Lamplighter, piped: Lamplighter) -> None:
    piped(
        "s3cr3t",
        "secrets",
        "set",
        "lost",
        "--host",
        "api.example.org",
        LAMPLIGHTER_ENCRYPTION_KEYS=Fernet.generate_key().decode(),
    )
    piped("s3cr3t", "secrets", "set", "kept", "--host", "api.example.org")

    rotated = lamplighter("secrets", "rotate")

    assert rotated.code == 1
    assert "1 re-encrypted" in rotated.out
    assert "secret lost" in rotated.err


def test_keys_that_are_none_are_refused_and_not_shown(lamplighter: Lamplighter) -> None:
    answer = lamplighter("secrets", "rotate", LAMPLIGHTER_ENCRYPTION_KEYS="my-own-key")

    assert answer.code == 2
    assert "LAMPLIGHTER_ENCRYPTION_KEYS" in answer.err
    assert "my-own-key" not in answer.err
