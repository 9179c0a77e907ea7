"""The scheduling options of a source, shared by several commands."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from functools import wraps
from inspect import Signature, signature
from typing import Annotated, Any

import typer

from lamplighter.errors import BadInput
from lamplighter.operations.sources.source_fields import altered
from lamplighter.operations.sources.source_input import NewSource

#: options that are text to be parsed
_WORDS = ("policy", "windows", "country", "organisation_type")


def _timing(
    interval_minutes: Annotated[
        float | None,
        typer.Option(
            help="Initial interval, before any change was observed.",
            show_default="by organisation type, else by priority",
        ),
    ] = None,
    min_interval_minutes: Annotated[float | None, typer.Option(help="Minimum interval.")] = None,
    max_interval_minutes: Annotated[float | None, typer.Option(help="Maximum interval.")] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="How the interval is chosen: learned, fixed, yield_days, hash_backoff or priority.",
            show_default="its tags', else the installation's",
        ),
    ] = None,
    windows: Annotated[
        str | None,
        typer.Option(
            help='Crawl windows, for example "mon-fri 22:00-05:00 Europe/Berlin" or "deny sat,sun".',
            show_default="at any time",
        ),
    ] = None,
    country: Annotated[str | None, typer.Option(help="Two letters; the time zone of windows without one.")] = None,
    organisation_type: Annotated[
        str | None, typer.Option(help="Type of the organisation: un, ingo, ngo or academic.")
    ] = None,
) -> dict[str, Any]:
    """The given options by source field; None if an option is missing."""
    return {
        "interval": _minutes(interval_minutes),
        "min_interval": _minutes(min_interval_minutes),
        "max_interval": _minutes(max_interval_minutes),
        "policy": policy,
        "windows": windows,
        "country": country,
        "organisation_type": organisation_type,
    }


def _minutes(value: float | None) -> timedelta | None:
    """Parses a duration in minutes."""
    try:
        return None if value is None else timedelta(minutes=value)
    except (OverflowError, ValueError):
        raise BadInput(f"{value} minutes are out of range; use 1 to 527040") from None


def timed(submitted: NewSource, given: Mapping[str, Any]) -> NewSource:
    """The source with the given options; None keeps a value, and an empty word resets it."""
    chosen = {name: value for name, value in given.items() if value is not None}
    words = {name: chosen.pop(name) for name in _WORDS if name in chosen}
    return replace(altered(submitted, words), **chosen)


def with_timing(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator that adds the scheduling options; the command gets them as its argument `timing`."""
    options = signature(_timing).parameters
    own = [parameter for parameter in signature(command).parameters.values() if parameter.name != "timing"]
    together = [*own, *options.values()]

    @wraps(command)
    def called(**given: Any) -> None:
        command(timing=_timing(**{name: given.pop(name) for name in options}), **given)

    # Typer reads both to find out which options there are.
    called.__signature__ = Signature(together)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in together}
    return called
