"""Parses the part of a recipe about requesting a JSON API."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lamplighter.errors import BadRecipe
from lamplighter.extract.recipes.api_headers import names_a_secret, trouble_with
from lamplighter.extract.recipes.recipe_parts import as_json_path, as_number, as_object, optional, shown
from lamplighter.model.recipe import Api, Paging, PagingKind, Since

_API_KEYS = ("paging", "since", "headers", "params", "method")
_PAGING_KEYS = ("kind", "param", "start", "size", "size_param", "cursor_path", "total_path", "max_pages")
_DEFAULT_PARAM = {
    PagingKind.PAGE: "page",
    PagingKind.OFFSET: "offset",
    PagingKind.CURSOR: "cursor",
    PagingKind.LINK: "",
}
_DEFAULT_START = {PagingKind.PAGE: 1}
_MOST_PAGES = 1_000
_DEFAULT_MOST_PAGES = 50
_MOST_PARAMS = 30
_LONGEST_PARAM = 500

_PARAM_NAME = re.compile(r"[\w.:$\[\]-]{1,100}", re.ASCII)
_SINCE = re.compile(r"(?:%[YmdHMSzjyf%]|[\w :./T+-]){1,60}", re.ASCII)


def parse_api(data: object) -> Api | None:
    """How to request the API; None when the recipe does not say."""
    if data is None or data == {} or data == "":
        return None
    given = as_object(data, "api", _API_KEYS)
    method = optional(given, "method")
    if method is not None and str(method).upper() != "GET":
        raise BadRecipe(
            f'Cannot use {shown(method)} as "api.method": only GET is supported; put the search into "params".'
        )
    api = Api(
        paging=_paging(given.get("paging")),
        since=_since(given.get("since")),
        headers=_headers(given.get("headers") or {}),
        params=_params(given.get("params") or {}),
    )
    return None if api == Api() else api


def api_to_json(api: Api | None) -> dict[str, Any]:
    """The shortest JSON form that `parse_api` turns back into this."""
    if api is None:
        return {}
    form = {
        "paging": _paging_to_json(api.paging) if api.paging else None,
        "since": {"param": api.since.param, "format": api.since.format} if api.since else None,
        "headers": dict(api.headers),
        "params": dict(api.params),
    }
    return {key: value for key, value in form.items() if value}


def _paging(data: object) -> Paging | None:
    if data is None or data == {}:
        return None
    given = as_object(data, "api.paging", _PAGING_KEYS)
    kinds = [kind.value for kind in PagingKind]
    if given.get("kind") not in kinds:
        raise BadRecipe(f'Cannot use {shown(given.get("kind"))} as "api.paging.kind": use one of {", ".join(kinds)}.')
    kind = PagingKind(given["kind"])
    cursor_path = _path(given, "cursor_path")
    if kind is PagingKind.CURSOR and cursor_path is None:
        raise BadRecipe('"api.paging.cursor_path" is missing: say where the cursor is, such as "meta.next_cursor".')
    if kind in (PagingKind.CURSOR, PagingKind.LINK) and optional(given, "max_pages") is not None:
        raise BadRecipe(
            f'Cannot use "api.paging.max_pages" with {kind.value} paging, which does not count: '
            "the source's own max_pages bounds it."
        )
    start, size, pages = (optional(given, key) for key in ("start", "size", "max_pages"))
    return Paging(
        kind=kind,
        param=_param(given, "param") or _DEFAULT_PARAM[kind],
        start=_DEFAULT_START.get(kind, 0)
        if start is None
        else as_number(start, "api.paging.start", least=0, most=10**9),
        size=None if size is None else as_number(size, "api.paging.size", least=1, most=10_000),
        size_param=_param(given, "size_param"),
        cursor_path=cursor_path,
        total_path=_path(given, "total_path"),
        max_pages=_DEFAULT_MOST_PAGES
        if pages is None
        else as_number(pages, "api.paging.max_pages", least=1, most=_MOST_PAGES),
    )


def _paging_to_json(paging: Paging) -> dict[str, Any]:
    form: dict[str, Any] = {
        "kind": paging.kind.value,
        "param": paging.param if paging.param != _DEFAULT_PARAM[paging.kind] else None,
        "start": paging.start if paging.start != _DEFAULT_START.get(paging.kind, 0) else None,
        "size": paging.size,
        "size_param": paging.size_param,
        "cursor_path": paging.cursor_path,
        "total_path": paging.total_path,
        "max_pages": paging.max_pages if paging.max_pages != _DEFAULT_MOST_PAGES else None,
    }
    return {key: value for key, value in form.items() if value is not None}


def _since(data: object) -> Since | None:
    if data is None or data == {}:
        return None
    given = as_object(data, "api.since", ("param", "format"))
    param, form = _param(given, "param", "api.since"), given.get("format", "%Y-%m-%dT%H:%M:%SZ")
    if param is None:
        raise BadRecipe('"api.since.param" is missing: name the query parameter, such as updated_since.')
    if not isinstance(form, str) or not (form == "epoch" or _is_time_format(form)):
        raise BadRecipe(f'Cannot use {shown(form)} as "api.since.format": write "epoch" or for example "%Y-%m-%d".')
    return Since(param=param, format=form)


def _is_time_format(form: str) -> bool:
    return _SINCE.fullmatch(form) is not None and datetime(2001, 2, 3, tzinfo=UTC).strftime(form) != form


def _headers(data: object) -> dict[str, str]:
    headers = _texts(data, "api.headers", example='{"Accept": "application/json"}')
    for name, value in headers.items():
        if trouble := trouble_with(name, value):
            # The value stays out of the message: it may be the secret that should not be here.
            raise BadRecipe(f'Cannot use "api.headers.{name[:100]}": {trouble}.')
    if len({name.lower() for name in headers}) < len(headers):
        raise BadRecipe('Cannot use "api.headers": a name is there twice; write each header once.')
    return headers


def _params(data: object) -> dict[str, str]:
    params = _texts(data, "api.params", example='{"format": "json"}')
    for name, value in params.items():
        _check_param(name, "api.params")
        if names_a_secret(value):
            raise BadRecipe(
                f'Cannot use a secret in "api.params.{name}": addresses are logged; send it in "api.headers".'
            )
        if len(value) > _LONGEST_PARAM:
            raise BadRecipe(f'Cannot use "api.params.{name}": longer than {_LONGEST_PARAM} characters; shorten it.')
    return params


def _texts(data: object, where: str, *, example: str) -> dict[str, str]:
    """Names and texts. Errors show nothing of the input, for it may contain a credential."""
    if not isinstance(data, Mapping) or len(data) > _MOST_PARAMS:
        raise BadRecipe(f'Cannot use "{where}": give an object of up to {_MOST_PARAMS} texts, such as {example}.')
    for name, value in data.items():
        if not isinstance(name, str) or isinstance(value, bool) or not isinstance(value, str | int):
            raise BadRecipe(f'Cannot use "{where}": names and values are texts, as in {example}.')
    return {name: str(value) for name, value in data.items()}


def _param(given: Mapping[str, Any], key: str, inside: str = "api.paging") -> str | None:
    value = optional(given, key)
    return None if value is None else _check_param(value, f"{inside}.{key}")


def _check_param(name: object, where: str) -> str:
    if not isinstance(name, str) or not _PARAM_NAME.fullmatch(name):
        raise BadRecipe(f'Cannot use {shown(name)} as "{where}": name a query parameter, such as page.')
    return name


def _path(given: Mapping[str, Any], key: str) -> str | None:
    value = optional(given, key)
    return None if value is None else as_json_path(value, f"api.paging.{key}")
