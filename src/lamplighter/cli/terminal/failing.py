"""Error reporting of commands: one sentence on standard error and an exit code, no traceback for expected errors."""

from lamplighter.cli.terminal.console import say
from lamplighter.errors import BadInput, LamplighterError

FAILED = 1
WRONG_USE = 2


def exit_code_of(error: Exception) -> int | None:
    """Prints an expected error and returns its exit code; None for an unexpected error."""
    match error:
        case BadInput():
            say(f"Error: {error}")
            return WRONG_USE
        case LamplighterError() | OSError():
            say(f"Error: {error}")
            return FAILED
    # Known by name, so that a command that only prints help need not load the database library.
    if any(kind.__name__ == "DBAPIError" for kind in type(error).__mro__):
        say(f"Error: the database does not answer as it should: {getattr(error, 'orig', error)}")
        return FAILED
    return None
