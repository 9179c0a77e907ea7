"""Passwords: what is stored of them, and what is learnt by trying."""

import time

import pytest

from lamplighter.errors import BadInput
from lamplighter.operations.access import passwords

pytestmark = pytest.mark.slow_hashes
PASSWORD = "four plain words"


def test_a_password_is_known_by_its_hash_and_no_other_is() -> None:
    stored = passwords.hash_of(PASSWORD)

    assert stored.startswith("$argon2id$")
    assert PASSWORD not in stored
    assert passwords.is_right(PASSWORD, stored)
    assert not passwords.is_right(PASSWORD + " ", stored)
    assert not passwords.is_right("x" * 100_000, stored)
    assert not passwords.is_right("\ud800", stored)
    assert not passwords.is_right(PASSWORD, "not a hash")


def test_an_unknown_name_takes_as_much_work_as_a_known_one() -> None:
    stored = passwords.hash_of(PASSWORD)
    passwords.is_right(PASSWORD, None)

    def work(known: str | None) -> float:
        begun = time.process_time()
        assert not passwords.is_right("wrong", known)
        return time.process_time() - begun

    assert min(work(None) for _ in range(3)) > 0.5 * min(work(stored) for _ in range(3))


@pytest.mark.parametrize("password", ["", "x" * 11, "x" * 1001, "\ud800" * 12])
def test_what_is_too_short_too_long_or_no_text_is_refused(password: str) -> None:
    with pytest.raises(BadInput) as refused:
        passwords.hash_of(password)

    assert refused.value.field == "password"
