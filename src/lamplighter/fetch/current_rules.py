"""Reads what operators may have changed, for all hosts whose turn has come at the same time."""

import asyncio
from collections.abc import Mapping

from lamplighter.model.host import HostPolicy
from lamplighter.store.engine.database import Database
from lamplighter.store.hosts import hosts
from lamplighter.store.hosts.hosts import CurrentRules


class _Reading:
    """Hosts that are read together; None before that."""

    def __init__(self) -> None:
        self.ids: set[int] = set()
        self.found: Mapping[int, CurrentRules] | None = None


class CurrentRulesReader:
    """One reading at a time: whoever asks meanwhile shares the next, so that no answer is older than its question."""

    def __init__(self, db: Database, *, defaults: HostPolicy) -> None:
        self._db = db
        self.defaults = defaults
        self._next = _Reading()
        self._reading = asyncio.Lock()

    async def get(self, host_id: int) -> CurrentRules | None:
        """The rules of a host as they are now; None for an unknown host."""
        mine = self._next
        mine.ids.add(host_id)
        async with self._reading:
            if mine.found is None:
                if mine is self._next:
                    self._next = _Reading()
                ids = sorted(mine.ids)
                mine.found = await self._db.look(lambda db: hosts.current_rules(db, ids, defaults=self.defaults))
        return mine.found.get(host_id)
