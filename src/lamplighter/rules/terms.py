"""On which terms does a site give a page? What headers and robots.txt ask for may change while its body does not."""

from typing import NamedTuple

from lamplighter.model.page import HeldBody
from lamplighter.model.visit import Fetched, NotModified
from lamplighter.rules import usage


class Terms(NamedTuple):
    """What is asked of whoever keeps a page."""

    #: X-Robots-Tag, one line each; None when absent
    robots_tag: str | None
    #: what its content may be used for, one line each (see rules.usage); None when nothing is said
    usage: str | None


def of_body(body: HeldBody) -> Terms:
    """Those on which we hold a body."""
    return Terms(body.robots_tag, body.usage)


def after(visit: Fetched | NotModified, had: HeldBody) -> Terms:
    """Those on which a visit left us the body that we had.

    What stands in the body itself still does. A 304 renews the headers that it brings, and leaves the others as they
    were (RFC 9111, 3.2).
    """
    in_body = usage.said_in("meta", had.usage)
    if isinstance(visit, Fetched):
        return Terms(visit.robots_tag, usage.joined(visit.usage, in_body))
    headers = usage.said_in("header", visit.usage) or usage.said_in("header", had.usage)
    lines = usage.joined(headers, usage.said_in("robots", visit.usage), in_body)
    return Terms(visit.robots_tag or had.robots_tag, lines)
