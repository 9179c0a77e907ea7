"""Structured logs with stable action keys."""

import logging
import sys
from typing import Any, TextIO, cast

import structlog

Logger = structlog.typing.FilteringBoundLogger


class _StandardError:
    """Standard error as it is when a line is written, not as it was when logging was set up."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def configure(level: str = "info") -> None:
    """One line per event on standard error: readable on a terminal, JSON when piped."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    pretty = sys.stderr.isatty()
    renderer: Any = structlog.dev.ConsoleRenderer() if pretty else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(file=cast(TextIO, _StandardError())),
    )


def logger(part: str) -> Logger:
    """The log of one part of the program."""
    return cast(Logger, structlog.get_logger(part=part))
