"""The options that say when and how often a source is crawled, for every command that sets them."""

from collections.abc import Callable
from functools import wraps
from inspect import Signature, signature
from typing import Any

from lamplighter.cli.options import (
    Country,
    Interval,
    MaxInterval,
    MinInterval,
    Organisation,
    Policy,
    Windows,
    minutes,
)


def _timing(
    interval_minutes: Interval = None,
    min_interval_minutes: MinInterval = None,
    max_interval_minutes: MaxInterval = None,
    policy: Policy = None,
    windows: Windows = None,
    country: Country = None,
    organisation_type: Organisation = None,
) -> dict[str, Any]:
    """What was given, by the names that sources have for it; None where nothing was."""
    return {
        "interval": minutes(interval_minutes),
        "min_interval": minutes(min_interval_minutes),
        "max_interval": minutes(max_interval_minutes),
        "policy": policy,
        "windows": windows,
        "country": country,
        "organisation_type": organisation_type,
    }


def with_timing(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command these options; what was given comes to it as its argument `timing`."""
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
