"""What may we call ourselves on a host that is to see another name than the others do?"""

import re

from lamplighter.errors import BadInput

LONGEST = 500

_PRODUCT = re.compile(r"[^\s/]+")
#: what a header may hold without any server misreading it
_PRINTABLE = re.compile(r"[\x20-\x7e]+")


def checked(text: str, *, ours: str) -> str:
    """The User-Agent as it will be sent; its first product must be that of `ours`, the installation's own.

    Whoever reads a log or writes a robots.txt goes by that name: a crawler that changes it from host to host cannot be
    told what to leave alone.
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
            f"user_agent {text[:100]!r} hides who asks; begin it with {name}, for example '{name}/1.0 (+https://…)'",
            code="invalid_user_agent",
            field="user_agent",
        )
    return agent


def product(user_agent: str) -> str:
    """The name of the first product: 'LamplighterBot/1.0 (+…)' gives 'LamplighterBot'."""
    found = _PRODUCT.match(user_agent)
    return found[0] if found else ""
