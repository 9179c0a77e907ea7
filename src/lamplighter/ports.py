"""What the core needs from outside, as protocols; `app.py` chooses who answers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from lamplighter.model.visit import Fetched


class Clock(Protocol):
    """Two clocks: one to write down, one to wait by."""

    def now(self) -> datetime:
        """The time of the database, aware UTC: what is stored and compared between workers."""

    def monotonic(self) -> float:
        """Seconds that only ever grow: what pacing is measured by, whatever the wall clock does."""


class Archive(Protocol):
    """Keeps page bodies."""

    async def put(self, bodies: Sequence[bytes]) -> list[str]:
        """Stores bodies and returns the key of each; all survive the death of this process when this returns."""

    async def get(self, key: str) -> bytes | None:
        """The body, or None when it is not (or no longer) there."""

    async def discard(self, keys: Sequence[str]) -> None:
        """Makes these bodies unreadable for good; a key that is unknown is no error."""


class Vault(Protocol):
    """Makes text unreadable for whoever has the database and not the keys."""

    def encrypt(self, text: str) -> bytes:
        """What may be stored in place of the text."""

    def decrypt(self, sealed: bytes) -> str:
        """The text; NotPossible when no key opens it."""

    def add_key(self) -> bool:
        """A new key for what is encrypted from now on; False when the keys are not ours to change."""


class NotRendered(Exception):
    """A page could not be had as a browser shows it; the message says why."""


class AskForScript(Protocol):
    """Goes through the one door for a page's script or for what a script asks for."""

    async def __call__(self, url: str, *, is_script: bool) -> Fetched | None:
        """What stands there, or None when it may not or cannot be had."""


class Renderer(Protocol):
    """Shows pages as a browser would."""

    async def render(self, url: str, html: bytes, content_type: str, ask: AskForScript) -> bytes:
        """The page after its scripts have run, as UTF-8; raises NotRendered."""

    async def close(self) -> None:
        """Ends whatever was started for it."""
