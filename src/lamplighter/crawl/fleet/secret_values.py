"""The secrets that recipes use, by name: those of the environment first, then the stored ones.

A secret is given out for its own hosts only. Stored secrets are read again from time to time, so that a new one is used
within a minute.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lamplighter import telemetry
from lamplighter.errors import BadInput, BadSetting, NotPossible, SecretRefused
from lamplighter.model.access import Stamp
from lamplighter.ports import Vault
from lamplighter.rules.access import secret_hosts
from lamplighter.settings import Settings
from lamplighter.store.access import audit_log, secrets
from lamplighter.store.access.secrets import SealedSecret
from lamplighter.store.engine.database import Database

log = telemetry.logger("secrets")
#: refusals that are remembered, so that each is audited once and not with every page
_MOST_NOTED = 1000


class HostBoundSecret(NamedTuple):
    """A value, and the hosts to which it may be sent."""

    value: str
    hosts: frozenset[str]
    #: how an admin names its hosts
    remedy: str


class SecretBook:
    """All secrets as they were last read."""

    def __init__(self, db: Database, *, vault: Vault, settings: Settings) -> None:
        self._db = db
        self._vault = vault
        self._given = dict(_given(settings))
        self._sealed: dict[str, SealedSecret] = {}
        self._stored: dict[str, HostBoundSecret] = {}
        #: name -> why it cannot be read
        self._unreadable: dict[str, str] = {}
        self._noted: set[tuple[str, str, str]] = set()

    async def refresh(self) -> None:
        """Reads the stored secrets."""
        async with self._db.read() as db:
            sealed = await secrets.sealed_values(db)
        # Try unreadable secrets again: the key may be back.
        if sealed == self._sealed and not self._unreadable:
            return
        stored, unreadable = {}, {}
        for name, each in sealed.items():
            remedy = f"an admin adds it with: lamplighter secrets hosts {name} HOST …"
            try:
                value = self._vault.decrypt(each.value)
                stored[name] = HostBoundSecret(value, frozenset(each.hosts), remedy)
            except (NotPossible, BadInput, OSError) as error:
                unreadable[name] = str(error)
        if unreadable.keys() - self._unreadable.keys():
            log.error("secrets.unreadable", names=sorted(unreadable))
        self._sealed, self._stored, self._unreadable = sealed, stored, unreadable
        self._noted.clear()

    def find(self, name: str) -> HostBoundSecret | None:
        """A secret with its hosts; None if there is none, BadInput if it cannot be decrypted."""
        if name in self._given:
            return self._given[name]
        if name in self._unreadable:
            raise BadInput(f'The secret "{name}" cannot be read: {self._unreadable[name]}.')
        return self._stored.get(name)

    def value_at(self, host: str, name: str) -> str | None:
        """A secret for a request to a host; None if there is none, SecretRefused if it is for other hosts."""
        secret = self.find(name)
        if secret is None:
            return None
        if host not in secret.hosts:
            known = ", ".join(sorted(secret.hosts))
            reason = f"it is for {known}" if known else "it says no hosts yet"
            message = f'The secret "{name}" is not sent to {host}: {reason}; {secret.remedy}.'
            raise SecretRefused(message, name=name, host=host)
        return secret.value

    async def note_refusal(self, refused: SecretRefused, *, url: str, stamp: Stamp) -> None:
        """Writes to the audit log that a secret was to be sent elsewhere; once for each host and actor."""
        key = (refused.name, refused.host, stamp.actor)
        if key in self._noted or len(self._noted) >= _MOST_NOTED:
            return
        self._noted.add(key)
        after = {"host": refused.host, "url": url}
        await self._db.write(
            lambda db: audit_log.write(db, stamp, "secret.refuse", f"secret:{refused.name}", after=after)
        )

    def __contains__(self, name: object) -> bool:
        return name in self._given or name in self._sealed

    def __repr__(self) -> str:
        return f"SecretBook({sorted(self._given.keys() | self._sealed.keys())})"


def _given(settings: Settings) -> Iterator[tuple[str, HostBoundSecret]]:
    for name, value in settings.secrets.items():
        variable, hosts = settings.hosts_of_secret(name)
        try:
            bound = frozenset(secret_hosts.parse(hosts.replace(",", " ").split())) if hosts else frozenset[str]()
        except BadInput as error:
            raise BadSetting(f"{variable}={hosts!r}: {error}") from None
        yield name, HostBoundSecret(value, bound, f"add it to {variable}")
