"""The request headers of a recipe for a JSON API; secrets are named, {secret:reliefweb}, and inserted when sending."""

import re
from collections.abc import Callable

from lamplighter.errors import BadInput
from lamplighter.model.recipe import Api, Recipe

LONGEST = 500

_SECRET = re.compile(r"\{secret:([A-Za-z][A-Za-z0-9_-]{0,63})\}")
_BROKEN_SECRET = re.compile(r"\{\s*secret", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_VALUE = re.compile(r"[\x20-\x7e]*")

#: headers that the fetch layer sets itself, or that change the meaning of the connection
_OURS = frozenset(
    "host user-agent from connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect "
    "content-length content-encoding accept-encoding range if-match if-none-match if-modified-since "
    "if-unmodified-since if-range".split()
)
_SECRET_NAME = re.compile(r"auth|cookie|token|secret|passw|credential|(?:^|[-_])key$|apikey|session", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"(?:bearer|basic|token|apikey)\s+\S{8,}|eyJ[\w-]{10,}|\b(?:sk|ghp|xox[abp])[-_]\w{10,}", re.IGNORECASE
)
#: what may be around a secret: the scheme, a parameter's name
_AROUND_SECRET = re.compile(r"[\w =:;,\"'.-]{0,40}")


def trouble_with(name: str, value: str) -> str | None:
    """Why a header cannot be part of a recipe, with what would work; None when it can."""
    if not _NAME.fullmatch(name):
        return "it is not a header name; write for example X-Api-Key"
    if name.lower() in _OURS or name.lower().startswith("proxy-"):
        return "this header is set by the crawler itself; leave it out"
    if len(value) > LONGEST or not _VALUE.fullmatch(value):
        return f"a value has up to {LONGEST} printable ASCII characters on one line"
    bare = _SECRET.sub("", value)
    if _BROKEN_SECRET.search(bare):
        return "a secret is named as {secret:NAME}, with letters, digits, _ and -"
    has_secret = bare != value
    if _SECRET_NAME.search(name) and not (has_secret and _AROUND_SECRET.fullmatch(bare)):
        return "credentials are not stored in recipes; name a secret instead, such as {secret:NAME}"
    if _SECRET_VALUE.search(bare):
        return "it looks like a credential; name a secret instead, such as {secret:NAME}"
    return None


def secret_names(recipe: Recipe) -> set[str]:
    """The secrets that must be set before the source can be fetched."""
    values = recipe.api.headers.values() if recipe.api else ()
    return {name.lower() for value in values for name in _SECRET.findall(value)}


def render_headers(api: Api, secret_of: Callable[[str], str | None]) -> dict[str, str]:
    """The headers with the values of the secrets; BadInput names a secret that is missing or cannot be sent."""
    return {name: _rendered(value, secret_of) for name, value in api.headers.items()}


def names_a_secret(text: str) -> bool:
    """Does the text refer to a secret, well-formed or not?"""
    return _BROKEN_SECRET.search(text) is not None


def _rendered(value: str, secret_of: Callable[[str], str | None]) -> str:
    def known(found: re.Match[str]) -> str:
        name = found[1]
        secret = secret_of(name.lower())
        if not secret:
            raise BadInput(f'The secret "{name}" is not known: set it, or take it out of the recipe\'s headers.')
        if not _VALUE.fullmatch(secret):
            raise BadInput(f'The secret "{name}" cannot be sent: it must be printable ASCII on one line.')
        return secret

    return _SECRET.sub(known, value)
