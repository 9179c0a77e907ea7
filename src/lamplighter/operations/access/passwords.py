"""Passwords: hashed slowly on purpose, so that a stolen database does not give them away.

Both functions take a tenth of a second of CPU and 64 MiB; call them outside the event loop and outside transactions.
"""

from functools import cache

from pwdlib import PasswordHash
from pwdlib.exceptions import UnknownHashError

from lamplighter.errors import BadInput

LEAST = 12
#: longer ones only cost time
MOST = 1000


def hash_of(password: str) -> str:
    """What is stored in place of a password; BadInput when it could be guessed by its length alone."""
    if not LEAST <= len(password) <= MOST:
        raise BadInput(
            f"a password has {LEAST} to {MOST} characters, and this one has {len(password)}; a few words are enough",
            field="password",
            code="invalid_password",
        )
    try:
        return hasher().hash(password)
    except UnicodeEncodeError:
        raise BadInput("the password contains invalid characters", field="password") from None


def is_right(password: str, stored: str | None) -> bool:
    """Whether this is the password; it takes as long when there is nothing to compare it with."""
    if len(password) > MOST:
        return False
    try:
        matches = hasher().verify(password, stored or _decoy(hasher()))
    except (UnknownHashError, UnicodeEncodeError):
        return False
    return matches and stored is not None


@cache
def hasher() -> PasswordHash:
    """Hashes passwords and checks them."""
    return PasswordHash.recommended()


@cache
def _decoy(made_by: PasswordHash) -> str:
    """A hash to check a password against when the user has none."""
    return made_by.hash("nobody logs in with this")
