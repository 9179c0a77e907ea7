"""The target of a channel: a usable URL or e-mail address, and the part of it that may be shown."""

import re
from typing import NamedTuple

import ada_url

from lamplighter.errors import BadInput
from lamplighter.model.notification import ChannelKind
from lamplighter.rules.urls import urls

#: one mailbox, without a display name: nothing that could add a recipient or a header
_MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@((?:[A-Za-z0-9-]{1,63}\.)*[A-Za-z0-9-]{1,63})")
_LONGEST = 2000


class Target(NamedTuple):
    """Where a channel's messages go."""

    #: the URL to post to, or the e-mail address
    address: str
    #: scheme and host, or the domain of a mailbox
    hint: str
    #: host of the URL
    hostname: str = ""
    port: int = 0


def parse(kind: ChannelKind, text: str) -> Target:
    """Parses the target of a channel; BadInput never repeats the given text."""
    text = text.strip()
    return _mailbox(text) if kind is ChannelKind.EMAIL else _url(text, kind)


def _mailbox(text: str) -> Target:
    found = _MAILBOX.fullmatch(text)
    if found is None or len(text) > 254 or ".." in text:
        raise _bad("that is not an e-mail address; write one, for example ops@example.org")
    return Target(text, f"…@{found[1]}")


def _url(text: str, kind: ChannelKind) -> Target:
    if len(text) > _LONGEST:
        raise _bad(f"the URL is longer than {_LONGEST} characters")
    try:
        meant = urls.parse(text)
    except BadInput:
        raise _bad(
            f"that is not a URL that a {kind} can use; write https://host/path in full, without a user name in it"
        ) from None
    if kind is ChannelKind.NTFY and not meant.path_query.strip("/"):
        raise _bad("the URL names no topic; write https://ntfy.example.org/topic")
    # Not the identity form of pages: that leaves out parameters which a receiver may need.
    exact = ada_url.normalize_url(text).partition("#")[0]
    return Target(exact, meant.origin, meant.hostname, meant.port)


def _bad(message: str) -> BadInput:
    return BadInput(message, field="target", code="invalid_target")
