"""Puts the bodies that came into the archive, unless they are the ones we have."""

import hashlib
from collections.abc import Iterable

from lamplighter.model.page import HeldBody, Page
from lamplighter.model.visit import Fetched, Visit
from lamplighter.ports import Archive


async def archived(archive: Archive, visits: Iterable[tuple[Page, Visit]]) -> dict[int, HeldBody]:
    """Page -> the body that came for it, safe in the archive."""
    bodies: dict[int, HeldBody] = {}
    new: list[tuple[int, str, Fetched]] = []
    for page, visit in visits:
        if not isinstance(visit, Fetched):
            continue
        body_hash = hashlib.sha256(visit.body).hexdigest()
        if page.body is not None and page.body.hash == body_hash:
            bodies[page.id] = _held(visit, body_hash, page.body.key)
        else:
            new.append((page.id, body_hash, visit))
    keys = await archive.put([visit.body for _, _, visit in new])
    for (page_id, body_hash, visit), key in zip(new, keys, strict=True):
        bodies[page_id] = _held(visit, body_hash, key)
    return bodies


def _held(visit: Fetched, body_hash: str, key: str) -> HeldBody:
    return HeldBody(
        hash=body_hash,
        key=key,
        validators=visit.validators,
        content_type=visit.content_type,
        robots_tag=visit.robots_tag,
        usage=visit.usage,
    )
