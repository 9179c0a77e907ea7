"""Builds the request for a page of a source: plain for ordinary pages, by the recipe for a JSON API."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple, Protocol

from lamplighter.extract.recipes import api_headers, api_paging
from lamplighter.model.reading import PageRole
from lamplighter.model.recipe import Recipe
from lamplighter.rules.urls import urls


class Secrets(Protocol):
    """The secrets that recipes may name."""

    def value_at(self, host: str, name: str, /) -> str | None:
        """A secret for a request to a host; None if there is none."""


class PageRequestParts(NamedTuple):
    """What a page's request has besides the common headers."""

    url: str
    headers: Mapping[str, str]
    #: whether validators of an earlier response may be sent; not where the response depends on cookies
    is_conditional: bool
    #: whether the site's cookies are sent, and those that it sets are stored
    with_cookies: bool = False


def address_of(url: str, role: PageRole, recipe: Recipe, *, since: datetime | None) -> str:
    """The URL to request: an API's first request has parameters that its page's URL lacks."""
    if recipe.api is None or role is not PageRole.SEED:
        return url
    return api_paging.first_url(url, recipe.api, since)


def request_for(
    url: str, role: PageRole, recipe: Recipe, *, source_url: str, since: datetime | None, secrets: Secrets
) -> PageRequestParts:
    """The request for a page; BadInput names a secret that is missing or is for other hosts.

    An API's headers are meant for the API: a page of another origin, where a redirect or a link led, gets none.
    """
    api = recipe.api
    if api is None:
        return PageRequestParts(url, {}, is_conditional=not recipe.cookies, with_cookies=recipe.cookies)
    target = urls.parse(url)
    is_theirs = target.origin == urls.parse(source_url).origin
    return PageRequestParts(
        address_of(url, role, recipe, since=since),
        api_headers.render_headers(api, partial(secrets.value_at, target.host_key)) if is_theirs else {},
        is_conditional=api.since is None and not recipe.cookies,
        with_cookies=recipe.cookies,
    )
