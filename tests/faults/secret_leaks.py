"""Wherever anything comes out: every page that can be looked at, every row, every file."""

import gzip
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi.routing import APIRoute

from lamplighter.app import Service
from lamplighter.store.schema.tables import metadata
from lamplighter.web.all_routes import PARTS


def paths_to_look_at(known: Mapping[str, Any]) -> Iterator[str]:
    """Every address that can be looked at, with these ids in it, and 1 for those that are not among them."""
    seen = set()
    for part in PARTS:
        for route in part.router.routes:
            if isinstance(route, APIRoute) and "GET" in (route.methods or ()) and not _goes_on(route.path):
                path = re.sub(r"\{(\w+)[^}]*\}", lambda found: str(known.get(found[1], 1)), route.path)
                if path not in seen:
                    seen.add(path)
                    yield path


def _goes_on(path: str) -> bool:
    """Whether what is answered there does not end."""
    return "/stream" in path or path.endswith(("crawler/events", "health/events", "metrics/events"))


async def rows_of(service: Service) -> bytes:
    """All that stands in the database, as it stands there."""
    async with service.db.read() as db:
        rows = [row for table in metadata.sorted_tables for row in (await db.execute(sa.select(table))).all()]
    return "\n".join(str(tuple(row)) for row in rows).encode()


def files_of(folder: Path) -> bytes:
    """All that was written to the disk, unpacked; the key ring is what secrets are kept with."""
    written = [path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "keys"]
    return b"\n".join(gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body for body in written)
