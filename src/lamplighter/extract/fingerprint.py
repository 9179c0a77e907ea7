"""Did a page change? The hashes by which two versions of it are compared.

`of_markup` is taken before a page is read, from all that reading could use; `of_records` and `of_text` after it, from
what was read.
"""

import json
import re
from collections.abc import Iterable
from hashlib import sha256

import orjson

from lamplighter.extract.state.script_json import may_tell
from lamplighter.model.reading import Link
from lamplighter.model.record import RawRecord

#: a feed changes these without new content
_UNNOTICED = frozenset({"updated_at", "guid"})
#: where something begins that may differ from response to response, or is never read
_UNREAD = re.compile(r"<!--|<(script|style|meta|input|link)\b[^>]{0,10000}>?", re.IGNORECASE)
_ENDS = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}
#: fields against forgery, fields that are not shown, and what a content security policy asks for
_TOKEN = re.compile(r"csrf|xsrf|token|nonce|type\s{0,3}=\s{0,3}[\"']?hidden")


def of_markup(html: str, how: object) -> str:
    """The hash of a page without what is never read: comments, styles, scripts without data, and tokens of forms.

    `how` is what else decides how it is read.
    """
    said = [repr(how)]
    at = 0
    while (found := _UNREAD.search(html, at)) is not None:
        said.append(html[at : found.start()])
        kept, at = _kept(html, found)
        said.append(kept)
    said.append(html[at:])
    return sha256("".join(said).encode("utf-8", "replace")).hexdigest()


def _kept(html: str, found: re.Match[str]) -> tuple[str, int]:
    """What counts of something that is not read as a whole, and where it ends."""
    tag, name, at = found[0], (found[1] or "").lower(), found.end()
    if not name:
        end = html.find("-->", at)
        return "", end + 3 if end >= 0 else len(html)
    if name not in _ENDS:
        return "" if _TOKEN.search(tag.lower()) else tag, at
    ends = _ENDS[name].search(html, at)
    end = ends.start() if ends else len(html)
    content = html[at:end]
    holds_data = name == "script" and ("json" in tag.lower() or may_tell(content))
    return content if holds_data else "", end


def of_records(records: Iterable[RawRecord], links: Iterable[Link]) -> str:
    """The hash of a page with records: of the records and the links, in any order; a new link is a change."""
    said = sorted(_canonical(record) for record in records)
    urls = "\n".join(sorted([link.url for link in links]))
    return sha256(b"\n".join([*said, urls.encode("utf-8", "replace")])).hexdigest()


def of_text(title: str | None, text: str) -> str:
    """The hash of a page without records: of its visible text."""
    return sha256(f"{title or ''}\n{text}".encode("utf-8", "replace")).hexdigest()


def of_body(body: bytes) -> str:
    """The hash of a body we could not parse: of its bytes."""
    return sha256(body).hexdigest()


def _canonical(record: RawRecord) -> bytes:
    values = {name: found.value for name, found in record.fields.items() if name not in _UNNOTICED}
    said = [record.kind, values]
    try:
        return orjson.dumps(said, default=str, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        # Nested more deeply, or a number larger, than orjson writes.
        return json.dumps(said, sort_keys=True, default=str).encode()
