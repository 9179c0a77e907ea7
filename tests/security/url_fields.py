"""Every place of the API that takes a URL."""

from typing import Any, NamedTuple


class Place(NamedTuple):
    """A request that gives a URL away."""

    #: {source} stands for the id of a source
    path: str
    #: under which name the URL is sent
    name: str
    #: what else is sent
    besides: dict[str, Any] = {}  # noqa: RUF012 - never changed

    def body(self, url: str) -> dict[str, Any]:
        """What is sent with this URL in it."""
        return {**self.besides, self.name: url}


PLACES = (
    Place("/api/v1/sources", "url", {"name": "a"}),
    Place("/api/v1/sources/{source}/clone", "url"),
    Place("/api/v1/frontier/submit", "url"),
    Place("/api/v1/takedowns", "domain_or_url"),
    Place("/api/v1/notifications/channels", "target", {"name": "a", "kind": "webhook"}),
    Place("/admin/sources", "careers_url", {"org_name": "a"}),
    Place("/api/admin/proxies", "proxy_url", {"proxy_port": 1080}),
)
