"""Watches the settings that are changed while running: each process reads them every few seconds."""

from collections.abc import Callable

from lamplighter import telemetry
from lamplighter.settings import Settings
from lamplighter.store.engine.database import Database
from lamplighter.store.fleet import changed_settings

log = telemetry.logger("settings")


class SettingsWatch:
    """Brings changes to this process; while the database is away, the last values apply."""

    def __init__(self, db: Database, *, settings: Settings, apply: Callable[[], None]) -> None:
        self._db = db
        self._settings = settings
        #: hands the new values to the parts that keep some
        self._apply = apply

    async def look(self) -> None:
        """Reads the changes, and applies what is different."""
        async with self._db.read() as db:
            is_different = await changed_settings.take_into(self._settings, db)
        if is_different:
            log.info("settings.changed")
            self._apply()
