"""The first and the next request URL of a JSON API. Cursors end with the run: it fetches an address only once."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, assert_never

import ada_url

from lamplighter.errors import BadUrl
from lamplighter.extract.answers.json_api import json_next
from lamplighter.extract.answers.json_path import at, text_of
from lamplighter.model.recipe import Api, Paging, PagingKind, Since
from lamplighter.rules.urls.urls import join, normalise, parse

_LONGEST_CURSOR = 2_000
#: digits of a plausible number
_LONGEST_NUMBER = 12


def first_url(source_url: str, api: Api, since: datetime | None) -> str:
    """The address of the first request; `since` is when the source was last fetched, None to request everything."""
    params = dict(api.params)
    if api.paging is not None:
        params |= _first_page(api.paging)
    if api.since is not None and since is not None:
        params[api.since.param] = _written(since, api.since)
    return _with_params(source_url, params)


def next_request_url(data: Any, *, url: str, api: Api, records_found: int) -> str | None:
    """The address after this response, or None at the end; `records_found` counts the items of this response."""
    if api.paging is None or records_found <= 0:
        return None
    try:
        following = _following(data, normalise(url), api.paging, records_found)
        return None if following == normalise(url) else following
    except BadUrl:  # an address that a cursor made too long
        return None


def _following(data: Any, url: str, paging: Paging, found: int) -> str | None:
    match paging.kind:
        case PagingKind.PAGE:
            return _after_page(data, url, paging, found)
        case PagingKind.OFFSET:
            return _after_offset(data, url, paging, found)
        case PagingKind.CURSOR:
            return _after_cursor(data, url, paging)
        case PagingKind.LINK:
            return _linked(data, url, paging)
        case _:
            assert_never(paging.kind)


def _first_page(paging: Paging) -> dict[str, str]:
    params: dict[str, str] = {}
    if paging.kind in (PagingKind.PAGE, PagingKind.OFFSET):
        params[paging.param] = str(paging.start)
    if paging.size is not None and paging.size_param is not None:
        params[paging.size_param] = str(paging.size)
    return params


def _after_page(data: Any, url: str, paging: Paging, found: int) -> str | None:
    number = _number_in(url, paging)
    before = number - paging.start
    if before + 1 >= paging.max_pages:
        return None
    total = _total(data, paging)
    # Where the API returns smaller pages than requested, the count says nothing, and only an empty page ends it.
    passed = before * (paging.size or found)
    if total is not None and passed < total <= passed + found:
        return None
    return _with_params(url, {paging.param: str(number + 1)})


def _after_offset(data: Any, url: str, paging: Paging, found: int) -> str | None:
    offset = _number_in(url, paging)
    passed = offset - paging.start
    if passed // (paging.size or found) + 1 >= paging.max_pages:
        return None
    total = _total(data, paging)
    if total is not None and passed + found >= total:
        return None
    # By what was returned, not by what was requested: an API may return less.
    return _with_params(url, {paging.param: str(offset + found)})


def _after_cursor(data: Any, url: str, paging: Paging) -> str | None:
    cursor = text_of(at(data, paging.cursor_path or ""))
    if not cursor or len(cursor) > _LONGEST_CURSOR or cursor == _params_of(url).get(paging.param):
        return None
    return _with_params(url, {paging.param: cursor})


def _linked(data: Any, url: str, paging: Paging) -> str | None:
    if paging.cursor_path is None:
        following = json_next(data, None, url)
    else:
        link = at(data, paging.cursor_path)
        following = join(url, link) if isinstance(link, str) else None
    if following is None or parse(following).origin != parse(url).origin:
        # What we send along, secrets among it, is meant for this origin only.
        return None
    return following


def _number_in(url: str, paging: Paging) -> int:
    given = _whole_number(_params_of(url).get(paging.param))
    return paging.start if given is None else given


def _total(data: Any, paging: Paging) -> int | None:
    return _whole_number(text_of(at(data, paging.total_path))) if paging.total_path else None


def _whole_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER else None


def _written(moment: datetime, since: Since) -> str:
    in_utc = moment.astimezone(UTC)
    return str(int(in_utc.timestamp())) if since.format == "epoch" else in_utc.strftime(since.format)


def _params_of(url: str) -> dict[str, str]:
    return dict(ada_url.URLSearchParams(url.partition("?")[2]).items())


def _with_params(url: str, params: Mapping[str, str]) -> str:
    """The address with these parameters replacing those of the same names."""
    address, _, query = normalise(url).partition("?")
    search = ada_url.URLSearchParams(query)
    for name, value in params.items():
        search.set(name, value)
    return normalise(f"{address}?{search}" if str(search) else address)
