"""Encrypts what must stay unreadable in a stolen database: secrets of sources, passwords of proxies.

Several keys, the first of which encrypts and all of which decrypt, so that a key can be replaced while everything stays
readable. They come from a setting, or from a file beside the database that is created when it is first needed.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from lamplighter.errors import BadSetting, NotPossible

_MAKE_ONE = "make one with: python -c 'from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())'"


class KeyRing:
    """Keys that were given from outside."""

    def __init__(self, keys: Sequence[str], *, named: str) -> None:
        """`named` is where the keys come from, for error messages."""
        from cryptography.fernet import Fernet, MultiFernet  # a service without secrets does without its library

        self._named = named
        try:
            self._ring = MultiFernet([Fernet(key) for key in keys])
        except ValueError:
            # The error of the library may contain the key.
            raise BadSetting(f"{named} holds a key that is not 32 bytes in URL-safe base64; {_MAKE_ONE}") from None

    def encrypt(self, text: str) -> bytes:
        """The text, encrypted with the first key."""
        return self._ring.encrypt(text.encode())

    def decrypt(self, sealed: bytes) -> str:
        """The decrypted text; NotPossible when none of the keys fits."""
        from cryptography.fernet import InvalidToken

        try:
            return self._ring.decrypt(sealed).decode()
        except InvalidToken:
            raise NotPossible(
                f"no key of {self._named} decrypts this; restore the key that it was encrypted with, or set it again",
                code="secret_unreadable",
            ) from None

    def add_key(self) -> bool:
        """False: keys from a setting cannot be changed by the service."""
        return False


class KeyFile:
    """Keys in a file of ours, one per line; earlier ones stay, for backups of the database need them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_at: tuple[int, int] | None = None
        self._ring: KeyRing

    def encrypt(self, text: str) -> bytes:
        """The text, encrypted with the newest key; the first use creates the file."""
        return self._current(is_made=True).encrypt(text)

    def decrypt(self, sealed: bytes) -> str:
        """The decrypted text; NotPossible when the file is gone or no key in it fits."""
        return self._current(is_made=False).decrypt(sealed)

    def add_key(self) -> bool:
        """Puts a new key before the others."""
        self._current(is_made=True)
        self._replace([_new_key(), *self._keys()])
        return True

    def _current(self, *, is_made: bool) -> KeyRing:
        """The keys in the file now: another process may have added a key."""
        try:
            state = self._path.stat()
        except FileNotFoundError:
            if not is_made:
                raise NotPossible(
                    f"the key file {self._path} is missing; restore it from a backup, or set the secret again",
                    code="secret_unreadable",
                ) from None
            self._make()
            state = self._path.stat()
        read_at = (state.st_mtime_ns, state.st_ino)
        if read_at != self._read_at:
            self._ring = KeyRing(self._keys(), named=str(self._path))
            self._read_at = read_at
        return self._ring

    def _keys(self) -> list[str]:
        keys = self._path.read_text(encoding="ascii").split()
        if not keys:
            raise BadSetting(f"{self._path} holds no key; restore it from a backup, or remove it to start again")
        return keys

    def _make(self) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._draft([_new_key()])
        # The first process wins; a link never replaces the file of another process.
        with suppress(FileExistsError):
            os.link(draft, self._path)
        draft.unlink()

    def _replace(self, keys: Sequence[str]) -> None:
        os.replace(self._draft(keys), self._path)

    def _draft(self, keys: Sequence[str]) -> Path:
        draft = self._path.with_name(f"{self._path.name}.{uuid4().hex}")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write("\n".join(keys) + "\n")
            file.flush()
            os.fsync(file.fileno())
        return draft


def _new_key() -> str:
    from cryptography.fernet import Fernet

    return Fernet.generate_key().decode()
