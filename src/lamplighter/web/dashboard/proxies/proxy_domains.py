"""Assigns proxies to hosts, enables, disables and unassigns them."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput, NotFound
from lamplighter.operations.proxies import domain_proxies
from lamplighter.store.engine.database import Connection
from lamplighter.web.dashboard.forms import SubmittedForm, faults_of
from lamplighter.web.dashboard.page_request import PageRequest, ThisRequest
from lamplighter.web.dashboard.proxies.proxies import PATH, page
from lamplighter.web.dashboard.proxies.proxy_form import numbers_of
from lamplighter.web.routes import Pages
from lamplighter.web.values import RowId

# Before the pages of single proxies, which would match "assign".
ROUTES = Pages()
_USUAL_PRIORITY = 50
_OF_DOMAIN = PATH + "/{proxy_id}/domains/{domain_id}"


@ROUTES.post(PATH + "/assign")
async def assign(request: ThisRequest) -> Response:
    """Assigns proxies to a host; an existing assignment gets the new priority."""
    form = await request.form()

    async def work(db: Connection) -> None:
        priority = form.whole_number("priority")
        await domain_proxies.assign(
            db,
            await domain_proxies.host_called(db, form.text("domain")),
            _chosen(form),
            priority=_USUAL_PRIORITY if priority is None else priority,
            stamp=request.stamp,
        )

    try:
        await request.write(work)
    except (BadInput, NotFound) as error:
        faults = faults_of(error) if isinstance(error, BadInput) else {"proxy_ids": str(error)}
        typed = {"domain": form.text("domain"), "priority": form.text("priority"), "proxy_ids": form.many("proxy_ids")}
        return await page(request, status=422, assign_faults=faults, assigned=typed)
    return request.done(f"{form.text('domain')} uses these proxies now.", to=PATH)


@ROUTES.post(_OF_DOMAIN + "/enable")
async def enable(proxy_id: RowId, domain_id: RowId, request: ThisRequest) -> Response:
    """Enables the proxy for the host and resets its failures in a row."""
    return await _do(request, domain_proxies.enable, proxy_id, domain_id, "The proxy is enabled for this host.")


@ROUTES.post(_OF_DOMAIN + "/disable")
async def disable(proxy_id: RowId, domain_id: RowId, request: ThisRequest) -> Response:
    """Disables the proxy for the host."""
    return await _do(request, domain_proxies.disable, proxy_id, domain_id, "The proxy is disabled for this host.")


@ROUTES.post(_OF_DOMAIN + "/remove")
async def remove(proxy_id: RowId, domain_id: RowId, request: ThisRequest) -> Response:
    """Unassigns the proxy from the host."""
    form = await request.form()
    standing = await request.read(lambda db: domain_proxies.standing(db, domain_id, proxy_id, now=request.now))
    question = f"Unassign {standing.address}:{standing.port} from this host and delete its figures there?"
    request.confirm(form, question, label="Unassign", back=form.text("back") or PATH)
    return await _do(request, domain_proxies.remove, proxy_id, domain_id, "The proxy was unassigned from the host.")


async def _do(
    request: PageRequest, work: Callable[..., Coroutine[Any, Any, None]], proxy_id: int, domain_id: int, said: str
) -> Response:
    form = await request.form()
    await request.write(lambda db: work(db, domain_id, proxy_id, stamp=request.stamp))
    return request.done(said, to=form.text("back") or PATH)


def _chosen(form: SubmittedForm) -> list[int]:
    chosen = numbers_of(form)
    if not chosen:
        raise BadInput("Select at least one proxy.", field="proxy_ids")
    return chosen
