"""Which differences between two URLs are ignored when they are compared?

Works on the path and the query of a URL that ada has already serialised, whose characters are therefore known.
"""

import re

#: parameters that say where a visitor came from, or who the visitor is, never which page this is
_TRACKING = frozenset(
    {
        *("fbclid", "gclid", "gclsrc", "dclid", "msclkid", "mc_cid", "mc_eid", "yclid", "igshid", "_hsenc", "_hsmi"),
        *("jsessionid", "phpsessid"),
    }
)
_TRACKING_PREFIX = "utm_"
#: `sid` is a session on one site and a section on the next: only a long token tells
_SESSION_TOKEN = re.compile(r"[0-9a-f]{16,}", re.IGNORECASE)

#: Not behind a bare dot segment: removing the parameter from `/..;jsessionid=1/` would leave a path that climbs.
_SESSION_IN_PATH = re.compile(r"(?<!/\.)(?<!/\.\.);jsessionid=[^/;]*", re.IGNORECASE)

#: Not behind a stray percent sign: in `%%32E` decoding `%32` would create a new escape.
_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def identity_of_path(path: str) -> str:
    """The path without session ids and with one spelling of each escape; slashes and case are kept."""
    if "%" in path:
        path = one_spelling(path)
    if ";" in path:
        path = _SESSION_IN_PATH.sub("", path)
    return path


def identity_of_query(query: str) -> str:
    """The parameters that matter, sorted by name; parameters of the same name keep their order."""
    if "%" in query:
        query = one_spelling(query)
    kept = [parameter for parameter in query.split("&") if parameter and not _is_noise(parameter)]
    kept.sort(key=_name)
    return "&".join(kept)


def one_spelling(text: str) -> str:
    """Escapes in upper case, and none for a character that needs none (RFC 3986, 6.2.2)."""
    return _ESCAPE.sub(_respell, text)


def _respell(escape: re.Match[str]) -> str:
    octet = int(escape[1], 16)
    return chr(octet) if octet in _UNRESERVED else escape[0].upper()


def _name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _is_noise(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name == "sid":
        return _SESSION_TOKEN.fullmatch(value) is not None
    return name in _TRACKING or name.startswith(_TRACKING_PREFIX)
