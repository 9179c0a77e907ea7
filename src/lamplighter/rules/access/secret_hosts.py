"""The hosts of a secret: where it may be sent, and nowhere else."""

from collections.abc import Iterable

from lamplighter.errors import BadInput, BadUrl
from lamplighter.rules.urls import urls

_MOST = 50


def parse(names: Iterable[str]) -> tuple[str, ...]:
    """Host names as hosts are known, with the port unless it is the default; BadInput names one that is none."""
    found = sorted({_host(name) for name in names if name.strip()})
    if not found:
        raise BadInput(
            "say for which hosts the secret is, for example api.example.org", field="hosts", code="invalid_hosts"
        )
    if len(found) > _MOST:
        raise BadInput(
            f"a secret is for up to {_MOST} hosts; these are {len(found)}", field="hosts", code="invalid_hosts"
        )
    return tuple(found)


def _host(name: str) -> str:
    try:
        url = urls.parse(f"https://{name.strip()}/")
    except BadUrl:
        url = None
    # Whatever is more than a host would end up in the path.
    if url is None or url.path_query != "/" or "*" in url.hostname:
        raise BadInput(
            f"{name[:100]!r} is no host; write its name alone, such as api.example.org or api.example.org:8443",
            field="hosts",
            code="invalid_hosts",
        )
    return url.host_key
