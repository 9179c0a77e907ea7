"""What the web pages may know and do of the service they belong to."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Request

from lamplighter.crawl.gauge import Figures
from lamplighter.ports import Clock
from lamplighter.settings import Settings
from lamplighter.store.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceView:
    """The service, as far as it is shown."""

    db: Database
    clock: Clock
    settings: Settings
    #: how many hosts this process holds at the moment
    active_hosts: Callable[[], int]
    #: how scheduling goes, as last seen; None before the first look
    scheduling: Callable[[], Figures | None]
    #: to be called when a source was added, changed or removed
    sources_changed: Callable[[], None]


def _view_of(request: Request) -> ServiceView:
    return cast(ServiceView, request.app.state.view)


View = Annotated[ServiceView, Depends(_view_of)]
