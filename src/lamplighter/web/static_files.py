"""Static files: read once and served under a common digest, so that browsers may cache them for good.

Another version has another digest. `scripts/fetch_assets.py` puts third-party scripts into `static/vendor`. Without
them the pages work without scripts.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

#: all of `static/css` in one file, in the order of their names
_SHEET = "lamplighter.css"


@dataclass(frozen=True, slots=True)
class StaticFiles:
    """The static files by name, with their digest."""

    #: name -> content
    plain: dict[str, bytes]
    packed: dict[str, bytes]
    digest: str

    @property
    def has_scripts(self) -> bool:
        """Whether the third-party scripts were fetched."""
        return "vendor/htmx.min.js" in self.plain

    def path(self, name: str) -> str:
        """The URL path of a static file."""
        return f"/static/{self.digest}/{name}"


@cache
def static_files() -> StaticFiles:
    """All static files."""
    found = dict(_files(files("lamplighter.web").joinpath("static")))
    sheets = [name for name in sorted(found) if name.startswith("css/")]
    plain = {_SHEET: b"\n".join(found.pop(name) for name in sheets), **found}
    digest = sha256(b"\0".join(name.encode() + b"\0" + plain[name] for name in sorted(plain))).hexdigest()[:16]
    packed = {name: gzip.compress(content, 9, mtime=0) for name, content in plain.items()}
    return StaticFiles(plain, packed, digest)


def _files(folder: Traversable, under: str = "") -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _files(each, f"{under}{each.name}/")
        else:
            yield f"{under}{each.name}", each.read_bytes()
