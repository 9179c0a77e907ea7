"""Parses a URL once for identity, for the address check and for the connection.

Everything goes through ada (the WHATWG parser); what it serialised is only cut apart here, never parsed a second way.
Two parsers that disagree about where the host ends are a known way around address checks.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

import ada_url
from publicsuffixlist import PublicSuffixList

from lamplighter.errors import BadUrl
from lamplighter.rules.urls.addresses import is_literal
from lamplighter.rules.urls.url_identity import identity_of_path, identity_of_query

MAX_LENGTH = 4096
_DEFAULT_PORTS = {"http": 80, "https": 443}

#: a web URL as ada writes it: scheme, authority, path, query; the fragment is dropped
_SERIALISED = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?")
_CREDENTIALS = re.compile(r"//[^/?#]*@")

#: Paths that ada would leave unchanged: no dot segments, no escapes, no parameters, nothing to encode.
_PLAIN_SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9_.~-]*+"
_PLAIN_FROM_ROOT = re.compile(rf"(?:/{_PLAIN_SEGMENT})*+/?")
_PLAIN_FROM_HERE = re.compile(rf"{_PLAIN_SEGMENT}(?:/{_PLAIN_SEGMENT})*+/?")
#: Such a path behind a host of only letters, digits, dots and hyphens; short enough whatever the host becomes.
_PLAIN_URL = re.compile(rf"(https?://[A-Za-z0-9.:-]{{1,300}}+)(?=.{{0,2000}}\Z)((?:/{_PLAIN_SEGMENT})*+/?)")
#: what the URL standard strips from both ends
_IGNORED_AROUND = "".join(map(chr, range(0x21)))


@dataclass(frozen=True, slots=True, kw_only=True)
class WebUrl:
    """An http or https URL in its identity form, cut into the parts that fetching needs."""

    #: the identity form, without fragment, tracking parameters and default port
    href: str
    scheme: str
    #: ASCII, lower case, without brackets and without a final dot
    hostname: str
    #: the port to connect to, also when it is the scheme's default
    port: int
    #: the key of the host for politeness: with the port only when it is not the scheme's default
    host_key: str
    #: scheme and host_key: what a robots.txt is valid for
    origin: str
    #: path and query for the request line
    path_query: str


@lru_cache(maxsize=8192)
def parse(text: str) -> WebUrl:
    """Parses a URL; BadUrl when it is not one that we may fetch."""
    scheme, host_key, path_query = _parts(_serialised(text), text)
    hostname, port = _host_and_port(scheme, host_key)
    origin = f"{scheme}://{host_key}"
    return WebUrl(
        href=origin + path_query,
        scheme=scheme,
        hostname=hostname,
        port=port,
        host_key=host_key,
        origin=origin,
        path_query=path_query,
    )


@lru_cache(maxsize=8192)
def normalise(text: str) -> str:
    """The identity form: two texts with the same one are the same page. Equal to `parse(text).href`."""
    if (plain := _PLAIN_URL.fullmatch(text)) and (origin := _identity_of_origin(plain[1])):
        return origin + (plain[2] or "/")
    return _identity(_serialised(text), text)


@lru_cache(maxsize=1024)
def _identity_of_origin(origin: str) -> str | None:
    """The identity form of an origin, cached for the many plain URLs of few hosts; None when we may not fetch it."""
    try:
        return _identity(_serialised(origin), origin).removesuffix("/")
    except BadUrl:
        return None


def url_key(normalised: str) -> str:
    """The identity form as a key of fixed length: sha256, hexadecimal."""
    return sha256(normalised.encode()).hexdigest()


def join(base: str, href: str) -> str | None:
    """The identity form of a link on a page, or None when it is not one that we could fetch."""
    text = href.strip(_IGNORED_AROUND)
    if not text or text.startswith("#") or len(text) > MAX_LENGTH:
        return None
    try:
        return _identity(ada_url.join_url(base, text), text)
    except (ValueError, BadUrl):
        return None


#: links of one page that are remembered
_MOST_JOINED = 5_000


class LinkResolver:
    """`join` for the many links of one page: the same results, most of them without parsing."""

    __slots__ = ("_base", "_directory", "_joined", "_longest", "_parent", "origin")

    def __init__(self, base: str) -> None:
        self._base = base
        self._directory = _directory(base)
        #: prefix of a link from the root; empty when the base is no URL
        self.origin = origin_of(self._directory)
        self._parent = _parent(self._directory) if self._directory != f"{self.origin}/" else self._directory
        self._longest = MAX_LENGTH - len(self._directory) if self._directory else -1
        #: each link of a page is resolved several times
        self._joined: dict[str, str | None] = {}

    def resolve(self, href: str) -> str | None:
        """Equal to `join(base, href)`."""
        joined = self._joined
        if href not in joined:
            if len(joined) >= _MOST_JOINED:
                joined.clear()
            joined[href] = self._resolved(href)
        return joined[href]

    def _resolved(self, href: str) -> str | None:
        path = href.partition("#")[0] if "#" in href else href
        if path and len(href) <= self._longest:
            if _PLAIN_FROM_ROOT.fullmatch(path):
                return self.origin + path
            if href.startswith(("https://", "http://")):
                return _absolute(href)
            if _PLAIN_FROM_HERE.fullmatch(path):
                return self._directory + path
            if path.startswith("../") and _PLAIN_FROM_HERE.fullmatch(path, 3):
                return self._parent + path[3:]
        return join(self._base, href)


def origin_of(normalised: str) -> str:
    """Scheme and host key of a URL in its identity form: what its path follows."""
    return "/".join(normalised.split("/", 3)[:3])


def registrable(hostname: str) -> str:
    """The registered domain (example.co.uk); an IP address or a public suffix is returned as it is."""
    if is_literal(hostname):
        return hostname
    return _public_suffixes().privatesuffix(hostname) or hostname


def same_site(a_hostname: str, b_hostname: str) -> bool:
    """Do both hosts belong to one registered domain?"""
    return a_hostname == b_hostname or registrable(a_hostname) == registrable(b_hostname)


def _serialised(text: str) -> str:
    if len(text) > MAX_LENGTH:
        raise _refusal(text, f"it is longer than {MAX_LENGTH} characters", "use a shorter URL")
    try:
        return ada_url.normalize_url(text)
    except ValueError:
        raise _refusal(text, "it cannot be parsed or has no host", "write https://example.com/jobs in full") from None


def _identity(serialised: str, given: str) -> str:
    scheme, host_key, path_query = _parts(serialised, given)
    return f"{scheme}://{host_key}{path_query}"


def _parts(serialised: str, given: str) -> tuple[str, str, str]:
    """Scheme, host key, and path with query, all in identity form."""
    cut = _SERIALISED.match(serialised)
    if cut is None:
        raise _refusal(given, "it is neither http nor https", "use a URL that starts with http:// or https://")
    scheme, host_key, path, query = cut.groups()
    if "@" in host_key:
        raise _refusal(given, "it carries credentials", "leave out the part before the @")
    if (host_key.endswith(".") or ".:" in host_key) and (without := _without_final_dots(cut)) is not None:
        return _parts(without, given)
    path_query = identity_of_path(path)
    if query and (kept := identity_of_query(query)):
        path_query = f"{path_query}?{kept}"
    # Escaping can make a URL longer than it was given, and the identity form must itself be a URL we accept.
    if len(scheme) + 3 + len(host_key) + len(path_query) > MAX_LENGTH:
        raise _refusal(given, f"it is longer than {MAX_LENGTH} characters when escaped", "use a shorter URL")
    return scheme, host_key, path_query


def _without_final_dots(cut: re.Match[str]) -> str | None:
    """`localhost.` is localhost. Parsed again, for without its dots a name may turn out to be an IP address.

    None where only the dots make it a name: of `.` and `foo.09..` nothing is left that is one. No resolver knows them.
    """
    host, colon, port = cut[2].partition(":")
    name = host.rstrip(".")
    if not name:
        # Without any host the parser would take the path for one.
        return None
    try:
        return _serialised(f"{cut[1]}://{name}{colon}{port}{cut.string[cut.end(2) :]}")
    except BadUrl:
        return None


def _host_and_port(scheme: str, host_key: str) -> tuple[str, int]:
    if host_key.endswith("]") or ":" not in host_key:
        return host_key.strip("[]"), _DEFAULT_PORTS[scheme]
    host, _, port = host_key.rpartition(":")
    return host.strip("[]"), int(port)


def masked(text: str) -> str:
    """A text that may be shown: URLs in it without their credentials."""
    return _CREDENTIALS.sub("//***@", text)


def _refusal(text: str, reason: str, remedy: str) -> BadUrl:
    """An error that names the value, but never a password in it."""
    shown = masked(text if len(text) <= 200 else f"{text[:200]}…")
    return BadUrl(f"Cannot use {shown!r} as a URL: {reason}; {remedy}.")


def _directory(base: str) -> str:
    """The prefix of a plain relative link on this page; empty when the base is no URL."""
    try:
        identity = normalise(base)
    except BadUrl:
        return ""
    if identity == base:
        # Nearly every base: ada has already written it, so that cutting is enough.
        return f"{base.partition('?')[0].rpartition('/')[0]}/"
    # Joining a plain name shows it.
    return _without(join(base, "x"), "x")


def _parent(directory: str) -> str:
    return directory[: directory.rfind("/", 0, -1) + 1]


def _absolute(href: str) -> str | None:
    """A link that needs no base: the same ones are on many pages, so `normalise` mostly has them cached."""
    try:
        return normalise(href.strip(_IGNORED_AROUND))
    except BadUrl:
        return None


def _without(url: str | None, ending: str) -> str:
    return url.removesuffix(ending) if url else ""


@lru_cache(maxsize=1)
def _public_suffixes() -> PublicSuffixList:
    """Loaded from the package when first needed: it takes about 70 ms."""
    return PublicSuffixList()
