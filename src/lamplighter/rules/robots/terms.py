"""The terms of use of a page: headers and robots.txt may change while its body does not."""

from typing import NamedTuple

from lamplighter.model.page import HeldBody
from lamplighter.model.visit import Fetched, NotModified
from lamplighter.rules.robots import usage


class Terms(NamedTuple):
    """What a site asks of anyone who keeps a page."""

    #: X-Robots-Tag, one line each; None when absent
    robots_tag: str | None
    #: what its content may be used for, one line each (see rules.usage); None when the site says nothing
    usage: str | None


def of_body(body: HeldBody) -> Terms:
    """The terms of a stored body."""
    return Terms(body.robots_tag, body.usage)


def after(visit: Fetched | NotModified, had: HeldBody) -> Terms:
    """The terms of the stored body after a visit.

    What the body itself says is unchanged. A 304 updates the headers that it carries, and leaves the others as they
    were (RFC 9111, 3.2).
    """
    in_body = usage.said_in("meta", had.usage)
    if isinstance(visit, Fetched):
        return Terms(visit.robots_tag, usage.joined(visit.usage, in_body))
    headers = usage.said_in("header", visit.usage) or usage.said_in("header", had.usage)
    lines = usage.joined(headers, usage.said_in("robots", visit.usage), in_body)
    return Terms(visit.robots_tag or had.robots_tag, lines)
