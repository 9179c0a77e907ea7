"""What routes get: the view of the service, and the caller."""

from typing import Annotated, cast

from fastapi import Depends, Request

from lamplighter.model.access import Caller
from lamplighter.web.access.credentials import is_known
from lamplighter.web.service_view import ServiceView as ServiceView


def _view_of(request: Request) -> ServiceView:
    return cast(ServiceView, request.app.state.view)


def _caller_of(request: Request) -> Caller:
    return cast(Caller, request.scope["caller"])


View = Annotated[ServiceView, Depends(_view_of)]
#: the caller; only for routes that need a role
Asking = Annotated[Caller, Depends(_caller_of)]
#: whether the caller has credentials; for public routes that tell strangers less
IsKnown = Annotated[bool, Depends(is_known)]
