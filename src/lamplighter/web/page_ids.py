"""Converts page numbers to UUIDs and back, for APIs that use UUIDs.

RFC 9562 leaves the contents of version 8 to the application: ours hold a mark, and the number in the last 62 bits.
Nothing is stored.
"""

from uuid import UUID

from lamplighter.errors import NotFound

#: the first 64 bits: "pages" in ASCII, then the version
_MARK = 0x7061_6765_7300_8000
_VARIANT = 0b10 << 62
_NUMBER = (1 << 62) - 1


def shown(page_id: int) -> UUID:
    """The UUID of a page."""
    return UUID(int=(_MARK << 64) | _VARIANT | page_id)


def number_of(shown_id: UUID) -> int:
    """The page number of a UUID; NotFound when it is not one of ours."""
    number = shown_id.int & _NUMBER
    if number == 0 or shown(number) != shown_id:
        raise NotFound(f"{shown_id} is the id of no page", code="page_not_found")
    return number
