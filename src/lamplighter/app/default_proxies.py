"""Reads the default proxy pool from the settings, for hosts without own proxies."""

from collections.abc import Iterator

from lamplighter.errors import BadInput, BadSetting
from lamplighter.fetch import default_proxies
from lamplighter.ports import Clock, Vault
from lamplighter.rules.proxies import proxy_address
from lamplighter.rules.proxies.proxy_address import ProxyAddress
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database


def pool_of(settings: Settings) -> tuple[ProxyAddress, ...]:
    """The proxies in the settings; none while proxies are disabled."""
    return tuple(_named(settings)) if settings.proxies_enabled else ()


async def write_pool(db: Database, settings: Settings, *, vault: Vault, clock: Clock) -> None:
    """Writes the settings' default pool into the database, once at the start of a service."""
    pool, now = pool_of(settings), clock.now()
    await db.write(lambda connection: default_proxies.write(connection, pool, vault=vault, now=now))


def _named(settings: Settings) -> Iterator[ProxyAddress]:
    given = settings.proxy_urls.get_secret_value() if settings.proxy_urls is not None else ""
    for number, text in enumerate((part.strip() for part in given.split(",") if part.strip()), start=1):
        # Do not quote the value: it may contain a password.
        where = f"the {number}. address of LAMPLIGHTER_PROXY_URLS"
        try:
            address = proxy_address.parse(text)
        except BadInput as error:
            raise BadSetting(f"{where}: {error}") from None
        if address.protocol is None or address.port is None:
            raise BadSetting(f"{where} needs a scheme and a port, as in socks5://user:password@proxy.example:1080")
        yield address
