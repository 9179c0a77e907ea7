"""The newest records that match a filter as a feed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from lamplighter.model.record_search import RecordFilter, RecordOrder
from lamplighter.operations.records.record_search import search
from lamplighter.rules.formats import feeds
from lamplighter.rules.formats.feeds import FeedFormat, FeedHead, FeedItem
from lamplighter.store.engine.database import Connection

MOST_ITEMS = 50
_LONGEST_TEXT = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFeed:
    """A feed as it is sent, and what it is recognised by when it is asked for again."""

    body: bytes
    media_type: str
    etag: str
    #: when its newest item was found; None while it has none
    last_modified: datetime | None


async def feed(db: Connection, wanted: RecordFilter, form: FeedFormat, *, own_url: str, home_url: str) -> SentFeed:
    """The newest records as a feed."""
    records, _ = await search(db, wanted, RecordOrder(limit=MOST_ITEMS))
    newest = max((datetime.fromisoformat(record["first_seen_at"]) for record in records), default=None)
    head = FeedHead(
        title="Lamplighter: records",
        description="The newest records.",
        own_url=own_url,
        home_url=home_url,
        newest_at=whole_second(newest),
    )
    return sent(form, head, [_item(record) for record in records])


def sent(form: FeedFormat, head: FeedHead, items: Sequence[FeedItem]) -> SentFeed:
    """A feed with its ETag."""
    body = feeds.written(form, head, items)
    etag = f'"{sha256(body).hexdigest()[:32]}"'
    return SentFeed(body=body, media_type=form.media_type, etag=etag, last_modified=head.newest_at)


def whole_second(moment: datetime | None) -> datetime | None:
    """The time in UTC as HTTP and RSS know it."""
    return moment.astimezone(UTC).replace(microsecond=0) if moment is not None else None


def _item(record: Mapping[str, Any]) -> FeedItem:
    fields = record["fields"]
    author = fields.get("author") or record["organisation"]
    image = fields.get("image")
    # When the site published it, else when we found it; readers put what comes later on top.
    published_at = datetime.fromisoformat(record["published_at"] or record["first_seen_at"]).astimezone(UTC)
    return FeedItem(
        id=record["id"],
        url=record["url"],
        title=record["title"],
        text=(record["description"] or "")[:_LONGEST_TEXT],
        published_at=published_at,
        updated_at=record["updated_at"],
        author=author if isinstance(author, str) else None,
        tags=tuple(record["tags"]),
        image=image if isinstance(image, str) else None,
        language=record["language"],
    )
