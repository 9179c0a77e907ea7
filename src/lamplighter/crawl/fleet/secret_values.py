"""The secrets that recipes use, by name: those of the environment first, then the stored ones.

Stored secrets are read again from time to time, so that a new one is used within a minute.
"""

from collections.abc import Iterator, Mapping

from lamplighter import telemetry
from lamplighter.errors import BadInput, NotPossible
from lamplighter.ports import Vault
from lamplighter.store.access import secrets
from lamplighter.store.engine.database import Database

log = telemetry.logger("secrets")


class SecretBook(Mapping[str, str]):
    """All secrets as they were last read."""

    def __init__(self, db: Database, *, vault: Vault, given: Mapping[str, str]) -> None:
        self._db = db
        self._vault = vault
        self._given = given
        self._sealed: dict[str, bytes] = {}
        self._stored: dict[str, str] = {}
        #: name -> why it cannot be read
        self._unreadable: dict[str, str] = {}

    async def refresh(self) -> None:
        """Reads the stored secrets."""
        async with self._db.read() as db:
            sealed = await secrets.sealed_values(db)
        # Try unreadable secrets again: the key may be back.
        if sealed == self._sealed and not self._unreadable:
            return
        stored, unreadable = {}, {}
        for name, value in sealed.items():
            try:
                stored[name] = self._vault.decrypt(value)
            except (NotPossible, BadInput, OSError) as error:
                unreadable[name] = str(error)
        if unreadable.keys() - self._unreadable.keys():
            log.error("secrets.unreadable", names=sorted(unreadable))
        self._sealed, self._stored, self._unreadable = sealed, stored, unreadable

    def __getitem__(self, name: str) -> str:
        """The secret; KeyError if there is none, BadInput if it cannot be decrypted."""
        if name in self._given:
            return self._given[name]
        if name in self._unreadable:
            raise BadInput(f'The secret "{name}" cannot be read: {self._unreadable[name]}.')
        return self._stored[name]

    def __contains__(self, name: object) -> bool:
        return name in self._given or name in self._sealed

    def __iter__(self) -> Iterator[str]:
        return iter(self._given.keys() | self._sealed.keys())

    def __len__(self) -> int:
        return len(self._given.keys() | self._sealed.keys())

    def __repr__(self) -> str:
        return f"SecretBook({sorted(self)})"
