"""Reads what operators may have changed, for all hosts whose turn has come at the same time."""

from collections.abc import Iterable, Mapping

from lamplighter.model.host import HostPolicy
from lamplighter.store.engine.database import Connection, Database
from lamplighter.store.engine.shared_query import SharedQuery
from lamplighter.store.hosts import hosts
from lamplighter.store.hosts.hosts import CurrentRules


class CurrentRulesReader:
    """The rules of hosts, as they are now."""

    def __init__(self, db: Database, *, defaults: HostPolicy) -> None:
        self.defaults = defaults
        self._query: SharedQuery[None, CurrentRules] = SharedQuery(db, self._look)

    async def get(self, host_id: int) -> CurrentRules | None:
        """The rules of a host; None for an unknown host."""
        return await self._query.get(host_id, None)

    async def _look(self, db: Connection, host_ids: Iterable[int]) -> Mapping[int, CurrentRules]:
        return await hosts.current_rules(db, sorted(host_ids), defaults=self.defaults)
