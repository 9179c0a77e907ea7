"""Stores the current bodies and new versions of pages, within the transaction that stores their visits."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lamplighter.crawl.fetching.body_archiving import held
from lamplighter.crawl.fetching.page_visits import PageVisit
from lamplighter.model.page import HeldBody, Page
from lamplighter.model.visit import Fetched, NotModified
from lamplighter.rules.pages import validators
from lamplighter.rules.robots import terms
from lamplighter.store.engine.database import Connection
from lamplighter.store.pages import bodies, page_versions
from lamplighter.store.pages.bodies import NewBody
from lamplighter.store.pages.page_versions import NewVersion
from lamplighter.store.pages.pages import PageBeforeVisit


class BodiesLost(Exception):
    """Bodies that were known before the transaction are gone: they must be stored again."""

    def __init__(self, hashes: Iterable[str]) -> None:
        super().__init__("bodies were forgotten while they were about to be needed")
        self.hashes = frozenset(hashes)


async def note_bodies(
    db: Connection, visits: Sequence[PageVisit], *, waiting: Mapping[int, PageBeforeVisit]
) -> dict[int, HeldBody]:
    """Page -> its body after the visit; a page that has not changed from a removed body is left out."""
    had: list[tuple[Page, Fetched | NotModified]] = []
    hashes: dict[int, str] = {}
    come: dict[str, NewBody] = {}
    for visited in visits:
        page, visit = visited.page, visited.visit
        if isinstance(visit, Fetched | NotModified):
            had.append((page, visit))
            hashes[page.id] = visited.body_hash or _body_of(page).hash
            if visited.new_body is not None:
                come[visited.new_body.hash] = visited.new_body
    # The body of a page's last visit needs no new version. It may not be stored, if the page forbids archiving.
    changed = {page_id for page_id, body_hash in hashes.items() if not _had(waiting[page_id], body_hash)}
    wanted = {hashes[page_id] for page_id in changed}
    new = [body for body_hash, body in come.items() if body_hash in wanted]
    kept = await bodies.hold(db, new, hashes=wanted) if wanted else {}
    result: dict[int, HeldBody] = {}
    versions: list[NewVersion] = []
    for page, visit in had:
        body = kept.get(hashes[page.id])
        if page.id not in changed:
            result[page.id] = body_after(page, visit, hashes[page.id], waiting[page.id].body_key or "")
        elif body is not None:
            result[page.id] = body_after(page, visit, hashes[page.id], body.key)
            versions.append(NewVersion(page.id, body.id, _status(visit), visit.at))
        elif isinstance(visit, Fetched):
            raise BodiesLost(wanted - kept.keys())
    await page_versions.add(db, versions)
    return result


async def forget_bodies(db: Connection, keys: Mapping[int, str]) -> list[str]:
    """Removes all versions of these pages (page -> key of its body); returns the keys no page needs."""
    had: set[int] = set()
    for page_id in keys:
        had |= await page_versions.forget_page(db, page_id)
    gone = {key for key, _ in await bodies.forget_unneeded(db, had)}
    return sorted(gone | set(keys.values()) - await bodies.keys_of_pages(db, keys))


def _had(before: PageBeforeVisit, body_hash: str) -> bool:
    # A page that was never fetched may have the body that another source has of its URL.
    return before.body_hash == body_hash and before.fetched_at is not None


def _body_of(page: Page) -> HeldBody:
    assert page.body is not None, "only a page with a stored body is fetched conditionally"
    return page.body


def body_after(page: Page, visit: Fetched | NotModified, body_hash: str, key: str) -> HeldBody:
    """The body of a page after its visit."""
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
    # This source has the page for the first time; another source got it with status 200.
    return visit.status if isinstance(visit, Fetched) else 200
