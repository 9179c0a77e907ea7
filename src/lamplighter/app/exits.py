"""Settings in, default pool out: the proxies for hosts that have none of their own."""

from collections.abc import Iterator

from lamplighter.errors import BadInput, BadSetting
from lamplighter.fetch import default_pool
from lamplighter.ports import Clock, Vault
from lamplighter.rules import proxy_address
from lamplighter.rules.proxy_address import ProxyAddress
from lamplighter.settings import Settings
from lamplighter.store.database import Database


def pool_of(settings: Settings) -> tuple[ProxyAddress, ...]:
    """The proxies that the settings name; none while they are not switched on."""
    return tuple(_named(settings)) if settings.proxies_enabled else ()


async def write_pool(db: Database, settings: Settings, *, vault: Vault, clock: Clock) -> None:
    """Makes the default pool in the database what the settings say, once at the start of a process that asks sites."""
    pool, now = pool_of(settings), clock.now()
    await db.write(lambda connection: default_pool.write(connection, pool, vault=vault, now=now))


def _named(settings: Settings) -> Iterator[ProxyAddress]:
    given = settings.proxy_urls.get_secret_value() if settings.proxy_urls is not None else ""
    for number, text in enumerate((part.strip() for part in given.split(",") if part.strip()), start=1):
        # Not a word of what was given: there may be a password in it.
        where = f"the {number}. address of LAMPLIGHTER_PROXY_URLS"
        try:
            address = proxy_address.parse(text)
        except BadInput as error:
            raise BadSetting(f"{where}: {error}") from None
        if address.protocol is None or address.port is None:
            raise BadSetting(f"{where} needs a scheme and a port, as in socks5://user:password@proxy.example:1080")
        yield address
