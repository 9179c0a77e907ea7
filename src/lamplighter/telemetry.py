"""Structured logs with stable event names, on standard error, and without secrets.

The log library is loaded with the first line: it takes as long as all else of a command that logs nothing.
"""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

MASK = "***"
#: values under such keys are masked
_SECRET_KEY = re.compile(
    r"passw|secret|token|authorization|cookie|dsn|credential|(api|encryption|signing)_?keys?$", re.IGNORECASE
)
#: scheme://user:password@: everything between the slashes and the last @ before the path; and, as people
#: write them though they should not, passwords with /, ? or # in them (what follows the colon is not a port)
_CREDENTIALS = re.compile(r"(?<=://)(?:[^/\s?#:@]*:(?!\d*[/?#])\S{0,200}@|[^/\s?#]*@)")
#: numbers about secrets are not secrets
_PLAIN = (int, float, bool, type(None))
_NUMBERS = logging.getLevelNamesMapping()


class LogFormat(StrEnum):
    """The format of lines."""

    #: for people on a terminal, else for programs
    AUTO = "auto"
    JSON = "json"
    CONSOLE = "console"


class _StandardError:
    """Standard error as it is when a line is written, not as it was when logging was set up."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


#: the level and format that the library is not told yet
_chosen: list[tuple[str, LogFormat]] = []
#: levels below the chosen one, by the names of their methods
_unwanted: set[str] = set()


def configure(level: str = "info", form: LogFormat = LogFormat.AUTO) -> None:
    """Sets up logging: one line per event on standard error."""
    _chosen[:] = [(level, form)]
    _unwanted.clear()
    _unwanted.update(name.lower() for name, number in _NUMBERS.items() if number < _number(level))
    if "structlog" in sys.modules:
        _library()


def _library() -> Any:
    """The log library, set up as chosen last."""
    if not _chosen:
        return sys.modules.get("structlog") or _loaded(with_terminal=sys.stderr.isatty())
    level, form = _chosen.pop()
    is_terminal = sys.stderr.isatty()
    pretty = is_terminal if form is LogFormat.AUTO else form is LogFormat.CONSOLE
    structlog = _loaded(with_terminal=pretty)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            without_secrets,
            structlog.dev.ConsoleRenderer(colors=is_terminal) if pretty else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_number(level)),
        logger_factory=structlog.PrintLoggerFactory(file=cast(TextIO, _StandardError())),
    )
    return structlog


def _number(level: str) -> int:
    return _NUMBERS.get(level.upper(), logging.INFO)


def _loaded(*, with_terminal: bool) -> Any:
    """The log library; lines of JSON do without the library for terminals, which it loads as well if it finds it."""
    is_left_out = not with_terminal and "structlog" not in sys.modules and "rich" not in sys.modules
    if is_left_out:
        sys.modules["rich"] = None  # type: ignore[assignment]  # Python's own way to say that there is none
    try:
        import structlog
    finally:
        if is_left_out:
            del sys.modules["rich"]
    return structlog


class _PartLogger:
    """The logger of one part of the program."""

    def __init__(self, part: str) -> None:
        self._part = part

    def __getattr__(self, name: str) -> Any:
        if name in _unwanted:  # the library makes a new logger for each line, also for one that it does not write
            return _nothing
        return getattr(_library().get_logger(part=self._part), name)


def _nothing(event: str, **_: Any) -> None:
    """In place of a line below the level."""


def logger(part: str) -> "FilteringBoundLogger":
    """The logger of one part of the program."""
    return cast("FilteringBoundLogger", _PartLogger(part))


def without_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """An event as it may be shown: values under secret-looking keys are masked, and so are credentials in URLs."""
    return {key: _shown(key, value) for key, value in event.items()}


def masked(text: str) -> str:
    """A text without the credentials of URLs in it."""
    return _CREDENTIALS.sub(f"{MASK}@", text) if "@" in text else text


def _shown(key: str, value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if _SECRET_KEY.search(key):
        return MASK
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {str(name): _shown(str(name), each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_shown("", each) for each in value]
    return masked(str(value))
