"""Builds the adapters that the settings choose."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from lamplighter.adapters.archive.archive_frames import frames_of
from lamplighter.adapters.archive.file_archive import FileArchive
from lamplighter.adapters.key_ring import KeyFile, KeyRing
from lamplighter.adapters.messaging.in_process_queue import InProcessQueue
from lamplighter.errors import BadSetting
from lamplighter.ports import Archive, Clock, EventStream, Mail, Mirror, Queue, SearchServer, Vault
from lamplighter.rules.formats import durations
from lamplighter.settings import Settings


def vault_of(settings: Settings) -> Vault:
    """The vault that encrypts secrets: with keys of the environment, or of the data folder."""
    if settings.encryption_keys is None:
        return KeyFile(settings.data_dir / "keys")
    keys = [key.strip() for key in settings.encryption_keys.get_secret_value().split(",")]
    return KeyRing(keys, named="LAMPLIGHTER_ENCRYPTION_KEYS")


def mail_of(settings: Settings) -> Mail | None:
    """The mail client; None when no server is set."""
    if settings.smtp_url is None:
        return None
    from lamplighter.adapters.messaging.smtp import Smtp

    return Smtp.at(settings.smtp_url.get_secret_value())


def archive_of(settings: Settings, clock: Clock) -> Archive:
    """The archive of page bodies: a folder, or an S3 server."""
    frames = frames_of({"plain": "p", "warc": "w"}[settings.archive_format])
    if (folder := archive_folder(settings)) is not None:
        return FileArchive(folder, frames, clock=clock)
    address = urlsplit(settings.archive_url or "")
    if address.scheme != "s3" or not address.netloc or address.query:
        raise BadSetting(
            f"LAMPLIGHTER_ARCHIVE_URL={settings.archive_url!r} names no archive; use s3://bucket/prefix or file:///folder"
        )
    try:
        from lamplighter.adapters.archive.s3_archive import S3Archive
    except ImportError:
        raise BadSetting("an archive on S3 needs the extra: pip install 'lamplighter[s3]'") from None
    prefix = address.path.strip("/")
    endpoint = settings.archive_s3_endpoint
    return S3Archive(address.netloc, frames, clock=clock, prefix=prefix, endpoint=endpoint)


def archive_folder(settings: Settings) -> Path | None:
    """The archive's folder; None when it is not on this machine's disks."""
    if settings.archive_url is None:
        return settings.data_dir / "archive"
    address = urlsplit(settings.archive_url)
    is_folder = address.scheme == "file" and not address.netloc and address.path.strip("/")
    return Path(unquote(address.path)) if is_folder else None


def queue_of(settings: Settings) -> Queue:
    """The queue that wakes workers: RabbitMQ, or in-process."""
    url = settings.queue_url.get_secret_value() if settings.queue_url else ""
    if not url:
        return InProcessQueue()
    if not _is_amqp(url):
        raise BadSetting("LAMPLIGHTER_QUEUE_URL names no RabbitMQ; use amqp://user:password@host:5672/virtual-host")
    try:
        from lamplighter.adapters.messaging.rabbitmq import RabbitQueue
    except ImportError:
        raise BadSetting("queues on RabbitMQ need the extra: pip install 'lamplighter[rabbitmq]'") from None
    return RabbitQueue(url)


def _is_amqp(url: str) -> bool:
    try:
        address = urlsplit(url)
        return address.scheme in ("amqp", "amqps") and bool(address.hostname) and address.port != 0
    except ValueError:  # a port that is no number
        return False


def mirror_of(settings: Settings, clock: Clock) -> Mirror | None:
    """The Redis mirror for other programs; None when it is disabled."""
    expires = durations.parsed(settings.redis_storage_expires)
    if expires is None:
        given = settings.redis_storage_expires
        raise BadSetting(
            f"{settings.variable_of('redis_storage_expires')}={given!r} is no duration; write the like of 168h, 90m, "
            "7d or 3600s"
        )
    if not settings.redis_storage_enabled:
        return None
    if settings.events_url is None:
        raise BadSetting(
            f"{settings.variable_of('redis_storage_enabled')} needs a Redis: set LAMPLIGHTER_EVENTS_URL=redis://host:6379/0"
        )
    try:
        from lamplighter.adapters.messaging.redis_mirror import RedisMirror
    except ImportError:
        raise BadSetting("showing crawl state in Redis needs the extra: pip install 'lamplighter[redis]'") from None
    return RedisMirror(settings.events_url.get_secret_value(), expires=expires, clock=clock)


def stream_of(settings: Settings, clock: Clock, *, instance: str) -> EventStream | None:
    """The stream of events; None when they are delivered from the outbox."""
    if settings.redis_events_enabled and settings.events_url is None:
        raise BadSetting(
            f"{settings.variable_of('redis_events_enabled')} needs a Redis: set "
            "LAMPLIGHTER_EVENTS_URL=redis://host:6379/0, or leave both out, and events are passed on within the process"
        )
    if settings.events_url is None or settings.redis_events_enabled is False:
        return None
    try:
        from lamplighter.adapters.messaging.redis_connection import RedisConnection
        from lamplighter.adapters.messaging.redis_streams import RedisStream
    except ImportError:
        raise BadSetting("events through Redis need the extra: pip install 'lamplighter[redis]'") from None
    url = settings.events_url.get_secret_value()
    return RedisStream(RedisConnection(url, setting="LAMPLIGHTER_EVENTS_URL", clock=clock), instance=instance)


def index_of(settings: Settings) -> SearchServer | None:
    """The search server; None when records are searched in the database."""
    if settings.index_url is None:
        return None
    engine, _, url = settings.index_url.get_secret_value().partition("+")
    key = settings.index_key.get_secret_value() if settings.index_key is not None else None
    if not url.startswith(("http://", "https://")):
        engine = ""
    match engine:
        case "meilisearch":
            from lamplighter.adapters.search.meilisearch import Meilisearch

            return Meilisearch(url, key=key, prefix=settings.index_prefix)
        case "elasticsearch" | "opensearch":
            from lamplighter.adapters.search.elasticsearch import Elasticsearch

            if key is not None and engine == "opensearch":
                raise BadSetting(
                    "OpenSearch knows no API keys; write user:password@ into LAMPLIGHTER_INDEX_URL instead"
                )
            return Elasticsearch(url, key=key, prefix=settings.index_prefix, engine=engine)
    raise BadSetting(
        "LAMPLIGHTER_INDEX_URL names no search server that we know; use meilisearch+http://host:7700, "
        "elasticsearch+https://host:9200 or opensearch+https://host:9200 (http or https)"
    )
