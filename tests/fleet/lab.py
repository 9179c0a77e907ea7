"""Three workers, PostgreSQL, Redis, RabbitMQ and a town to visit, each on a host of its own."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.fleet.many_sites import Town
from tests.fleet.namespaces import Network, network
from tests.origin import Hit
from tests.servers import postgres, rabbitmq
from tests.servers.migrated import aside, migrate_to_head
from tests.servers.redis import OwnRedis
from tests.service.forked import Forked
from tests.service.processes import Fleet, wait_until

WORKERS = ("ann", "bob", "cem")
POSTGRES, REDIS, RABBITMQ = "postgres", "redis", "rabbitmq"
#: the sites have it for themselves
TOWN = "198.51.100.0/24"
_AGENT = "LamplighterBot/1.0 (+http://192.0.2.1/bot; {name})"


class Lab:
    """What is there, and who asked whom."""

    def __init__(self, net: Network, fleet: Fleet, town: Town, *, sites_at_once: int) -> None:
        self.net, self.fleet, self.town = net, fleet, town
        self._sites_at_once = sites_at_once
        self._watched = 0
        self._running: dict[str, Forked] = {}

    def start(self) -> None:
        """Starts the workers."""
        for name in WORKERS:
            agent = _AGENT.format(name=name)
            self._running[name] = self.fleet.start(host=self.net.path(name), user_agent=agent)

    def watch_more(self) -> int:
        """Adds the next sites; returns how many are watched by now."""
        upto = self._watched + self._sites_at_once
        self.fleet.watch(*self.town.starts[self._watched : upto])
        self._watched = upto
        return upto

    def asked_by(self, name: str, *, since: float) -> list[Hit]:
        """What a worker asked the sites."""
        return [hit for hit in self.town.log if hit.arrived >= since and _asker(hit) == name]

    def held_by(self, name: str) -> dict[str, float]:
        """The hosts that a worker has leased, and until when, by the clock of the access log."""
        rows = self.fleet.rows(
            "SELECT h.key, extract(epoch FROM h.lease_until - clock_timestamp()) FROM hosts h "
            f"JOIN instances i ON i.id = h.lease_owner WHERE i.pid = {self._running[name].pid}"
        )
        return {key: time.monotonic() + float(left) for key, left in rows}

    def taken(self, host: str, name: str, *, since: float) -> float | None:
        """When somebody other than this worker first asked a host."""
        others = (hit for hit in self.town.log if hit.headers["host"] == host and _asker(hit) != name)
        return min((hit.arrived for hit in others if hit.arrived >= since), default=None)

    def are_well(self, *, since: float) -> bool:
        """Whether every worker runs, and has reached the database since then."""
        seconds = time.monotonic() - since
        fresh = self.fleet.rows(f"SELECT pid FROM instances WHERE heartbeat_at > now() - interval '{seconds:.3f} s'")
        pids = {row.pid for row in fresh}
        return all(each.pid in pids and each.returncode is None for each in self._running.values())


def _asker(hit: Hit) -> str:
    return hit.headers["user-agent"].rpartition(" ")[2].rstrip(")")


@contextmanager
def lab(folder: Path, *, sites: int, postings: int, sites_at_once: int, **settings: object) -> Iterator[Lab]:
    """All of it; this thread is on the router meanwhile."""
    with ExitStack() as stack:
        net = stack.enter_context(network())
        for name in (*WORKERS, POSTGRES, REDIS, RABBITMQ):
            net.add_host(name)
        net.add_host("town", also=TOWN)
        with net.inside(POSTGRES):
            server = stack.enter_context(postgres.own_server(net.address(POSTGRES)))
        with net.inside(REDIS):
            streams = OwnRedis(folder, host=net.address(REDIS))
            streams.start()
            stack.callback(streams.stop)
        with net.inside(RABBITMQ):
            broker = rabbitmq.start(net.address(RABBITMQ))
            stack.callback(rabbitmq.stop, broker)
        with net.inside("town"):
            town = stack.enter_context(Town(sites, postings=postings, network=TOWN.rpartition(".")[0]))
        stack.enter_context(net.inside(net.router))
        url = aside(postgres.create_database(server.url))
        aside(migrate_to_head(url))
        servers = {
            "database_url": url,
            "queue_url": rabbitmq.url_of(broker),
            "events_url": streams.url,
            "redis_storage_enabled": True,
            "allow_hosts": TOWN,
        }
        fleet = stack.enter_context(Fleet(folder, **(servers | settings)))
        made = Lab(net, fleet, town, sites_at_once=sites_at_once)
        began = time.monotonic()
        made.start()
        wait_until(lambda: made.are_well(since=began), fleet.log)
        yield made
