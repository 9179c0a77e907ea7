"""Notes which bodies pages have from now on, and that they had others before: within the fetch sink's transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lamplighter.crawl.archiving import Brought, held
from lamplighter.model.page import HeldBody, Page
from lamplighter.model.visit import Fetched, NotModified, Visit
from lamplighter.rules import terms, validators
from lamplighter.store import bodies, page_versions
from lamplighter.store.database import Connection
from lamplighter.store.page_versions import NewVersion
from lamplighter.store.pages import Waiting


class BodiesLost(Exception):
    """Bodies that the archive had when we looked are not known any more: they have to be put there again."""

    def __init__(self, hashes: Iterable[str]) -> None:
        super().__init__("bodies were forgotten while they were about to be needed")
        self.hashes = frozenset(hashes)


async def note_bodies(
    db: Connection, visited: Sequence[tuple[Page, Visit]], *, waiting: Mapping[int, Waiting], brought: Brought
) -> dict[int, HeldBody]:
    """Page -> the body that it has after its visit; none for one that has not changed from what is not kept."""
    had = [(page, visit) for page, visit in visited if isinstance(visit, Fetched | NotModified)]
    hashes = {page.id: brought.hashes.get(page.id) or _body_of(page).hash for page, _ in had}
    # What a page had at its last visit needs no version. It may be kept nowhere, if its page did not want it to be.
    changed = {page_id for page_id, body_hash in hashes.items() if not _had(waiting[page_id], body_hash)}
    wanted = {hashes[page_id] for page_id in changed}
    new = [body for body_hash, body in brought.new.items() if body_hash in wanted]
    kept = await bodies.hold(db, new, hashes=wanted) if wanted else {}
    result: dict[int, HeldBody] = {}
    versions: list[NewVersion] = []
    for page, visit in had:
        body = kept.get(hashes[page.id])
        if page.id not in changed:
            result[page.id] = _as_had(page, visit, hashes[page.id], waiting[page.id].body_key or "")
        elif body is not None:
            result[page.id] = _as_had(page, visit, hashes[page.id], body.key)
            versions.append(NewVersion(page.id, body.id, _status(visit), visit.at))
        elif isinstance(visit, Fetched):
            raise BodiesLost(wanted - kept.keys())
    await page_versions.add(db, versions)
    return result


async def forget_bodies(db: Connection, keys: Mapping[int, str]) -> list[str]:
    """Forgets every version of these pages (page -> key of its body); the keys of what nobody needs any more."""
    had: set[int] = set()
    for page_id in keys:
        had |= await page_versions.forget_page(db, page_id)
    gone = {key for key, _ in await bodies.forget_unneeded(db, had)}
    return sorted(gone | set(keys.values()) - await bodies.keys_of_pages(db, keys))


def _had(before: Waiting, body_hash: str) -> bool:
    # A page that was never had may be given what another source has of its URL.
    return before.body_hash == body_hash and before.fetched_at is not None


def _body_of(page: Page) -> HeldBody:
    assert page.body is not None, "only a page whose body we hold is asked for conditionally"
    return page.body


def _as_had(page: Page, visit: Fetched | NotModified, body_hash: str, key: str) -> HeldBody:
    if isinstance(visit, NotModified):
        return _on_new_terms(replace(_body_of(page), key=key, validators=visit.validators), page, visit)
    body = held(visit, body_hash, key)
    if page.body is None:
        return body
    is_same = page.body.hash == body_hash
    body = replace(
        body, validators=validators.judged(body.validators, before=page.body.validators, is_same_body=is_same)
    )
    return _on_new_terms(body, page, visit) if is_same else body


def _on_new_terms(body: HeldBody, page: Page, visit: Fetched | NotModified) -> HeldBody:
    return replace(body, **terms.after(visit, _body_of(page))._asdict())


def _status(visit: Fetched | NotModified) -> int:
    # A page that another source got before us is here for the first time, and was a whole page there.
    return visit.status if isinstance(visit, Fetched) else 200
