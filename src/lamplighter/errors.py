"""Everything that Lamplighter raises on purpose.

LamplighterError
├── BadInput                what a person or a program gave us cannot be used
│   ├── BadUrl
│   ├── BadRecipe
│   ├── BadSetting
│   └── Duplicate           it is there already
├── NotPossible             the thing exists, but not this action, not now
│   └── NotYet              a host's next turn is too far off to be waited for
├── NotFound
├── NotAllowed              somebody known asked for more than their role allows
├── SchemaTooNew            the database was migrated by a newer Lamplighter
├── LeaseLost               somebody else holds the lease by now; our write was refused
└── StandingStill           all crawling was paused before a request was sent; nothing was asked

A message says what was refused, the value, and what would work. A code says it to programs, and never changes.
"""

from typing import ClassVar


class LamplighterError(Exception):
    """The root: catch this at the rim and show its message."""

    default_code: ClassVar[str] = "error"

    def __init__(self, message: str = "", *, code: str | None = None) -> None:
        super().__init__(message)
        #: what programs go by
        self.code = code or self.default_code


class BadInput(LamplighterError):
    """What was given cannot be used; nothing was changed."""

    default_code = "invalid_input"

    def __init__(self, message: str = "", *, code: str | None = None, field: str | None = None) -> None:
        super().__init__(message, code=code)
        #: which part of what was given; None when it is the whole
        self.field = field


class BadUrl(BadInput):
    """Not a URL that we may or can ask for."""

    default_code = "invalid_url"


class BadRecipe(BadInput):
    """A recipe that could never read a page."""

    default_code = "invalid_recipe"


class BadSetting(BadInput):
    """A setting with an unknown name or an impossible value."""

    default_code = "invalid_setting"


class Duplicate(BadInput):
    """What is to be added is there already."""

    default_code = "duplicate"


class NotPossible(LamplighterError):
    """The action is not possible in the present state."""

    default_code = "not_possible"

    def __init__(self, message: str = "", *, code: str | None = None, possible: tuple[str, ...] = ()) -> None:
        super().__init__(message, code=code)
        #: what could be done instead
        self.possible = possible


class NotYet(NotPossible):
    """A host's next turn is too far off to be waited for."""


class NotFound(LamplighterError):
    """No such thing."""

    default_code = "not_found"


class NotAllowed(LamplighterError):
    """The caller is known, and may not do this."""

    default_code = "not_allowed"


class SchemaTooNew(LamplighterError):
    """The database belongs to a newer version of the program."""


class LeaseLost(LamplighterError):
    """The lease went to somebody else while we worked."""


class StandingStill(LamplighterError):
    """All crawling was paused while a request waited for its turn."""
