"""Which hosts may be asked through which proxies: assigned, switched and taken away."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Response

from lamplighter.errors import BadInput, NotFound
from lamplighter.operations import domain_proxies
from lamplighter.store.database import Connection
from lamplighter.web.api.routes import Routes
from lamplighter.web.api.values import BIGGEST, RowId
from lamplighter.web.dashboard.forms import Form, faults_of
from lamplighter.web.dashboard.proxies import PATH, page
from lamplighter.web.dashboard.visit import Visit, Visiting

# Before the pages of single proxies, which would take "assign" for one.
ROUTES = Routes("", tag="dashboard")
_USUAL_PRIORITY = 50
_OF_DOMAIN = PATH + "/{proxy_id}/domains/{domain_id}"


@ROUTES.post(PATH + "/assign", include_in_schema=False)
async def assign(visit: Visiting) -> Response:
    """Lets a domain be asked through these proxies; one that it has already takes the priority."""
    form = await visit.form()

    async def work(db: Connection) -> None:
        priority = form.whole_number("priority")
        await domain_proxies.assign(
            db,
            await domain_proxies.host_called(db, form.text("domain")),
            _chosen(form),
            priority=_USUAL_PRIORITY if priority is None else priority,
            actor=visit.caller.name,
            now=visit.now,
        )

    try:
        await visit.view.db.write(work)
    except (BadInput, NotFound) as error:
        faults = faults_of(error) if isinstance(error, BadInput) else {"proxy_ids": str(error)}
        typed = {"domain": form.text("domain"), "priority": form.text("priority"), "proxy_ids": form.many("proxy_ids")}
        return await page(visit, status=422, assign_faults=faults, assigned=typed)
    return visit.done(f"{form.text('domain')} has these proxies now.", to=PATH)


@ROUTES.post(_OF_DOMAIN + "/enable", include_in_schema=False)
async def enable(proxy_id: RowId, domain_id: RowId, visit: Visiting) -> Response:
    """Lets the proxy be used for the domain again; its failures in a row are forgotten."""
    return await _do(visit, domain_proxies.enable, proxy_id, domain_id, "The proxy is on for this domain.")


@ROUTES.post(_OF_DOMAIN + "/disable", include_in_schema=False)
async def disable(proxy_id: RowId, domain_id: RowId, visit: Visiting) -> Response:
    """Does not use the proxy for the domain until it is enabled."""
    return await _do(visit, domain_proxies.disable, proxy_id, domain_id, "The proxy is off for this domain.")


@ROUTES.post(_OF_DOMAIN + "/remove", include_in_schema=False)
async def remove(proxy_id: RowId, domain_id: RowId, visit: Visiting) -> Response:
    """Takes the proxy from the domain."""
    form = await visit.form()
    async with visit.view.db.read() as db:
        standing = await domain_proxies.standing(db, domain_id, proxy_id, now=visit.now)
    question = f"Take {standing.address}:{standing.port} from this host, with its figures there?"
    asked = visit.confirm(form, question, label="Take away", back=form.text("back") or PATH)
    if asked is not None:
        return asked
    return await _do(visit, domain_proxies.remove, proxy_id, domain_id, "The proxy was taken from the domain.")


async def _do(
    visit: Visit, work: Callable[..., Coroutine[Any, Any, None]], proxy_id: int, domain_id: int, said: str
) -> Response:
    form = await visit.form()
    await visit.view.db.write(lambda db: work(db, domain_id, proxy_id, actor=visit.caller.name, now=visit.now))
    return visit.done(said, to=form.text("back") or PATH)


def _chosen(form: Form) -> list[int]:
    given = form.many("proxy_ids")
    if not given:
        raise BadInput("Tick at least one proxy.", field="proxy_ids")
    if not all(each.isascii() and each.isdigit() and int(each) <= BIGGEST for each in given):
        raise BadInput("These are no numbers of proxies.", field="proxy_ids")
    return [int(each) for each in given]
