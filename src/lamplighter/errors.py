"""Everything that Lamplighter raises on purpose.

LamplighterError
├── BadInput                what a person or a program gave us cannot be used
│   ├── BadUrl
│   ├── BadRecipe
│   └── BadSetting
├── NotPossible             the thing exists, but not this action, not now
├── NotFound
├── SchemaTooNew            the database was migrated by a newer Lamplighter
└── LeaseLost               somebody else holds the lease by now; our write was refused

A message says what was refused, the value, and what would work.
"""


class LamplighterError(Exception):
    """The root: catch this at the rim and show its message."""


class BadInput(LamplighterError):
    """What was given cannot be used; nothing was changed."""


class BadUrl(BadInput):
    """Not a URL that we may or can ask for."""


class BadRecipe(BadInput):
    """A recipe that could never read a page."""


class BadSetting(BadInput):
    """A setting with an unknown name or an impossible value."""


class NotPossible(LamplighterError):
    """The action is not possible in the present state."""


class NotFound(LamplighterError):
    """No such thing."""


class SchemaTooNew(LamplighterError):
    """The database belongs to a newer version of the program."""


class LeaseLost(LamplighterError):
    """The lease went to somebody else while we worked."""
