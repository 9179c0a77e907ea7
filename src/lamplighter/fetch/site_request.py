"""One request to a site, from the moment it is wanted until its response is here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from lamplighter.fetch.body_limits import BodyLimits
from lamplighter.model.visit import NO_VALIDATORS, Validators

#: no headers besides those that every request carries
NO_HEADERS: Mapping[str, str] = {}
#: for requests that need no more than the host's own delay
NO_EXTRA_DELAY = timedelta(0)


def no_validators() -> Validators:
    """For requests that are unconditional."""
    return NO_VALIDATORS


def always() -> None:
    """For requests that nothing but the host can hold back."""


@dataclass(slots=True, kw_only=True)
class SiteRequest:
    """A request that is to be sent in its host's turn."""

    url: str
    wanted: BodyLimits
    method: Literal["GET", "HEAD"] = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    #: called when the turn has come
    validators: Callable[[], Validators] = no_validators
    #: minimum pause of the host after the request
    extra_delay: timedelta = NO_EXTRA_DELAY
    #: called before the turn is used, and again just before the request is sent; raises when it is no longer wanted
    leave: Callable[[], None] = always
    #: takes the cookies that the site sets
    on_cookies: Callable[[Sequence[str]], None] | None = None
    #: where it is noted, by the page's id, while the request is out
    out: dict[int, datetime] | None = None
    page_id: int = 0
