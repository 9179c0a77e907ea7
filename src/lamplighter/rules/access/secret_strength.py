"""Could a secret that signs tokens be guessed? Judged by its length, and by what is left without known words."""

import re

from lamplighter.rules.formats.plural import counted

LEAST_BYTES = 32
_LEAST_DISTINCT = 8
_LEAST_LEFT = 16

#: words that people write into examples and leave there
_WORDS = (
    *("abcdefghijklmnopqrstuvwxyz", "0123456789", "1234567890", "123456789", "12345678", "qwertyuiop", "asdfghjkl"),
    *("lamplighter", "development", "production", "insecure", "changethis", "changeme", "password", "placeholder"),
    *("default", "example", "passphrase", "passwd", "replace", "secret", "please", "change", "qwerty", "admin"),
    *("super", "token", "dummy", "local", "longer", "bytes", "least", "random", "string", "sample", "value", "auth"),
    *("this", "that", "your", "must", "test", "prod", "long", "some", "here", "with", "jwt", "key", "dev"),
    *("for", "the", "my", "me", "is", "at", "be", "in", "to", "a"),
)
_KNOWN = re.compile("|".join(sorted(_WORDS, key=len, reverse=True)))
_REPEATED = re.compile(r"(.+?)\1+", re.DOTALL)


def weakness(secret: str) -> str | None:
    """Why the secret must not be used, without showing any of it; None when it may be used."""
    length = len(secret.encode())
    if length < LEAST_BYTES:
        return f"it has {counted(length, 'byte')}; it needs {LEAST_BYTES} or more"
    if len(set(secret)) < _LEAST_DISTINCT:
        return f"it has fewer than {_LEAST_DISTINCT} different characters"
    if _REPEATED.fullmatch(secret):
        return "it repeats itself"
    if len(_KNOWN.sub("", re.sub(r"[\W_]", "", secret.lower()))) < _LEAST_LEFT:
        return "it is made of well-known words"
    return None
