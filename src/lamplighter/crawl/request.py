"""How is a page of a source asked for? Ordinary pages as they are; a JSON API as the source's recipe says."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from lamplighter.extract.recipes import api_headers, api_paging
from lamplighter.model.reading import Role
from lamplighter.model.recipe import Recipe
from lamplighter.rules import urls


class Request(NamedTuple):
    """What goes over the wire besides what every request carries."""

    url: str
    headers: Mapping[str, str]
    #: whether the answer to an earlier request says anything about this one; not where cookies have a say in it
    is_conditional: bool
    #: whether the site's cookies go along, and those that it sets are kept
    with_cookies: bool = False


def address_of(url: str, role: Role, recipe: Recipe, *, since: datetime | None) -> str:
    """Where a page is asked for: an API's first answer has parameters that its page is not known by."""
    if recipe.api is None or role is not Role.SEED:
        return url
    return api_paging.first_url(url, recipe.api, since)


def request_for(
    url: str, role: Role, recipe: Recipe, *, source_url: str, since: datetime | None, secrets: Mapping[str, str]
) -> Request:
    """The request for a page; BadInput names a secret that is missing.

    An API's headers are meant for the API: a page of another origin, where a redirect or a link led, gets none.
    """
    api = recipe.api
    if api is None:
        return Request(url, {}, is_conditional=not recipe.cookies, with_cookies=recipe.cookies)
    is_theirs = urls.parse(url).origin == urls.parse(source_url).origin
    return Request(
        address_of(url, role, recipe, since=since),
        api_headers.render_headers(api, secrets) if is_theirs else {},
        is_conditional=api.since is None and not recipe.cookies,
        with_cookies=recipe.cookies,
    )
