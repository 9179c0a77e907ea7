"""The scheduling options of a source, shared by several commands."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from inspect import Signature, signature
from typing import Any

from lamplighter.cli.terminal.options import (
    Country,
    Interval,
    MaxInterval,
    MinInterval,
    Organisation,
    Policy,
    Windows,
    minutes,
)
from lamplighter.operations.sources.source_fields import altered
from lamplighter.operations.sources.source_input import NewSource

#: options that are text to be parsed
_WORDS = ("policy", "windows", "country", "organisation_type")


def _timing(
    interval_minutes: Interval = None,
    min_interval_minutes: MinInterval = None,
    max_interval_minutes: MaxInterval = None,
    policy: Policy = None,
    windows: Windows = None,
    country: Country = None,
    organisation_type: Organisation = None,
) -> dict[str, Any]:
    """The given options by source field; None if an option is missing."""
    return {
        "interval": minutes(interval_minutes),
        "min_interval": minutes(min_interval_minutes),
        "max_interval": minutes(max_interval_minutes),
        "policy": policy,
        "windows": windows,
        "country": country,
        "organisation_type": organisation_type,
    }


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
