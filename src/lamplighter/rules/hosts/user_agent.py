"""Checks the User-Agent of a host that gets its own one."""

import re

from lamplighter.errors import BadInput

LONGEST = 500

_PRODUCT = re.compile(r"[^\s/]+")
#: characters of a header that no server misreads
_PRINTABLE = re.compile(r"[\x20-\x7e]+")


def checked(text: str, *, ours: str) -> str:
    """The User-Agent as it will be sent; its first product must be that of `ours`, the installation's own.

    Operators of sites know a crawler by that name in their logs and robots.txt: with a name that changes from host to
    host it could not be addressed there.
    """
    agent = text.strip()
    name = product(ours)
    if not _PRINTABLE.fullmatch(agent) or len(agent) > LONGEST:
        raise BadInput(
            f"user_agent {text[:100]!r} cannot be sent; use 1 to {LONGEST} plain ASCII characters, "
            f"beginning with {name}",
            code="invalid_user_agent",
            field="user_agent",
        )
    if product(agent) != name:
        raise BadInput(
            f"user_agent {text[:100]!r} hides who we are; begin it with {name}, for example '{name}/1.0 (+https://…)'",
            code="invalid_user_agent",
            field="user_agent",
        )
    return agent


def product(user_agent: str) -> str:
    """The name of the first product: 'LamplighterBot/1.0 (+…)' gives 'LamplighterBot'."""
    found = _PRODUCT.match(user_agent)
    return found[0] if found else ""
