"""Style sheets and scripts: read once, served under the digest of all of them, so that browsers may keep them for good.

A page of another version asks under another digest. Scripts that come from elsewhere lie in `static/vendor`, where
`scripts/fetch_assets.py` puts them; without them pages do without scripts.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

#: all of `static/css`, in the order of their names, in one
_SHEET = "lamplighter.css"


@dataclass(frozen=True, slots=True)
class StaticFiles:
    """What is served, as it is sent."""

    #: name -> content
    plain: dict[str, bytes]
    packed: dict[str, bytes]
    digest: str

    @property
    def has_scripts(self) -> bool:
        """Whether the scripts from elsewhere were fetched."""
        return "vendor/htmx.min.js" in self.plain

    def path(self, name: str) -> str:
        """Under which a page asks for one of them."""
        return f"/static/{self.digest}/{name}"


@cache
def static_files() -> StaticFiles:
    """Everything there is."""
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
