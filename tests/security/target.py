"""What is fuzzed: something that reads what strangers write, and what must hold whatever they write."""

from collections.abc import Callable
from typing import NamedTuple


class Target(NamedTuple):
    """One reader of hostile input."""

    name: str
    #: raises when anything is wrong: an exception that is not declared, or a broken promise
    play: Callable[[bytes], None]
    #: good and odd input from which others are made
    samples: tuple[bytes, ...]


def text_of(data: bytes) -> str:
    """Text as it comes out of JSON, forms and decoded pages."""
    return data.decode("utf-8", "replace")


def header_of(data: bytes) -> str:
    """A header's value: one line of bytes."""
    return data.decode("latin-1").replace("\r", "").replace("\n", "").replace("\0", "")
