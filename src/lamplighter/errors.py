"""Everything that Lamplighter raises on purpose.

    LamplighterError
    ├── BadInput                the given value cannot be used
    │   ├── BadUrl
    │   ├── BadRecipe
    │   ├── BadSetting
    │   ├── SecretRefused       the secret is for other hosts
    │   └── Duplicate           it exists already
    ├── NotPossible             the thing exists, but this action is not possible now
    │   └── NotYet              a host's next turn is too far off to wait for
    ├── NotFound
    ├── NotAllowed              the caller's role does not allow this
    ├── SchemaTooNew            the database was migrated by a newer Lamplighter
    ├── LeaseLost               another worker holds the lease by now; our write was refused
    └── StandingStill           all crawling was paused before a request was sent

A message says what was refused, the value, and what would work. A code says it to programs, and never changes.
"""

from typing import ClassVar


class LamplighterError(Exception):
    """The root: entry points catch it and show its message."""

    default_code: ClassVar[str] = "error"

    def __init__(self, message: str = "", *, code: str | None = None) -> None:
        super().__init__(message)
        #: stable word for programs
        self.code = code or self.default_code


class BadInput(LamplighterError):
    """The given value cannot be used; nothing was changed."""

    default_code = "invalid_input"

    def __init__(self, message: str = "", *, code: str | None = None, field: str | None = None) -> None:
        super().__init__(message, code=code)
        #: the field with the wrong value; None when it is the whole input
        self.field = field


class BadUrl(BadInput):
    """Not a URL that we may or can fetch."""

    default_code = "invalid_url"


class BadRecipe(BadInput):
    """A recipe that could never parse a page."""

    default_code = "invalid_recipe"


class BadSetting(BadInput):
    """A setting with an unknown name or an impossible value."""

    default_code = "invalid_setting"


class SecretRefused(BadInput):
    """A recipe names a secret that may not be sent to its host."""

    default_code = "secret_refused"

    def __init__(self, message: str, *, name: str, host: str) -> None:
        super().__init__(message)
        self.name = name
        self.host = host


class Duplicate(BadInput):
    """It exists already."""

    default_code = "duplicate"


class NotPossible(LamplighterError):
    """The action is not possible in the current state."""

    default_code = "not_possible"

    def __init__(self, message: str = "", *, code: str | None = None, possible: tuple[str, ...] = ()) -> None:
        super().__init__(message, code=code)
        #: the actions that are possible
        self.possible = possible


class NotYet(NotPossible):
    """A host's next turn is too far off to wait for."""


class NotFound(LamplighterError):
    """It does not exist."""

    default_code = "not_found"


class NotAllowed(LamplighterError):
    """The caller is authenticated, but may not do this."""

    default_code = "not_allowed"


class SchemaTooNew(LamplighterError):
    """The database belongs to a newer version of the program."""


class LeaseLost(LamplighterError):
    """Another worker took the lease while we worked."""


class CrawlPaused(LamplighterError):
    """All crawling was paused while a request waited for its turn."""
