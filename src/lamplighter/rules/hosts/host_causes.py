"""Why the sources of a host fail together, in the words of a sentence about the host."""

import re
from collections.abc import Mapping

from lamplighter.model.visit import Fault, Refusal
from lamplighter.rules.formats.plural import counted

_STATUS = re.compile(r"\bHTTP (\d{3})\b")
#: a run's reason -> what the host does
_CAUSES: Mapping[str, str] = {
    Fault.DNS: "has a name that cannot be resolved",
    Fault.CONNECT: "accepts no connections",
    Fault.TLS: "has no valid TLS",
    Fault.TIMEOUT: "does not answer in time",
    Fault.BUSY: "asks us to slow down",
    Fault.SERVER_ERROR: "answers with server errors",
    Fault.CLIENT_ERROR: "refuses our requests",
    Refusal.ROBOTS_UNREACHABLE: "has a robots.txt that cannot be fetched",
}
_BY_STATUS: Mapping[str, str] = {
    Fault.SERVER_ERROR: "answers {status}",
    Fault.CLIENT_ERROR: "answers {status}",
    Refusal.ROBOTS_UNREACHABLE: "answers {status} for robots.txt",
}


def of_message(message: str | None) -> str | None:
    """What the host does, by the message of a failed run; None when that says nothing of the host."""
    reason, _, detail = (message or "").partition(":")
    if reason not in _CAUSES:
        return None
    found = _STATUS.search(detail)
    if found is not None and reason in _BY_STATUS:
        return _BY_STATUS[reason].format(status=found[1])
    return _CAUSES[reason]


def of_block(reason: str | None) -> str:
    """What the host does, by the reason of its block."""
    found = _STATUS.search(reason or "")
    return f"answers {found[1]}" if found is not None else f"is backing off ({reason})" if reason else "is backing off"


def sentence(host: str, cause: str, *, failing: int, waiting: int) -> str:
    """How many sources a host's trouble concerns: "host a.example answers 500: 5 sources failing, 35 waiting"."""
    parts = [f"{counted(failing, 'source')} failing"] if failing else []
    if waiting:
        parts.append(f"{waiting} waiting" if failing else f"{counted(waiting, 'source')} waiting")
    return f"host {host} {cause}: {', '.join(parts)}"
