"""How the commands fail: one sentence on standard error and an exit code; no traceback for what can be foreseen."""

from lamplighter.cli.console import say
from lamplighter.errors import BadInput, LamplighterError

FAILED = 1
WRONG_USE = 2


def exit_code_of(error: Exception) -> int | None:
    """Says what went wrong and returns the exit code; None, and not a word, when the error could not be foreseen."""
    match error:
        case BadInput():
            say(f"Error: {error}")
            return WRONG_USE
        case LamplighterError() | OSError():
            say(f"Error: {error}")
            return FAILED
    # Known by name: whoever only asks for help need not load the database's library for it.
    if any(kind.__name__ == "DBAPIError" for kind in type(error).__mro__):
        say(f"Error: the database does not answer as it should: {getattr(error, 'orig', error)}")
        return FAILED
    return None
