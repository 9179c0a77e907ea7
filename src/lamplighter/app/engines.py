"""Settings in, adapters out: which engine answers each port."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from lamplighter.adapters.archive_frames import frames_of
from lamplighter.adapters.file_archive import FileArchive
from lamplighter.adapters.in_process_queue import InProcessQueue
from lamplighter.adapters.key_ring import KeyFile, KeyRing
from lamplighter.adapters.smtp import Smtp
from lamplighter.errors import BadSetting
from lamplighter.ports import Archive, Clock, EventStream, Mail, Mirror, Queue, SearchServer, Vault
from lamplighter.rules import durations
from lamplighter.settings import Settings


def vault_of(settings: Settings) -> Vault:
    """What encrypts secrets: with the keys of the environment, or with those of the data folder."""
    if settings.encryption_keys is None:
        return KeyFile(settings.data_dir / "keys")
    keys = [key.strip() for key in settings.encryption_keys.get_secret_value().split(",")]
    return KeyRing(keys, named="LAMPLIGHTER_ENCRYPTION_KEYS")


def mail_of(settings: Settings) -> Mail | None:
    """What sends e-mails; None when no server is named."""
    return Smtp.at(settings.smtp_url.get_secret_value()) if settings.smtp_url is not None else None


def archive_of(settings: Settings, clock: Clock) -> Archive:
    """Where page bodies are kept: in a folder, or on an S3 server."""
    frames = frames_of({"plain": "p", "warc": "w"}[settings.archive_format])
    if (folder := archive_folder(settings)) is not None:
        return FileArchive(folder, frames, clock=clock)
    address = urlsplit(settings.archive_url or "")
    if address.scheme != "s3" or not address.netloc or address.query:
        raise BadSetting(
            f"LAMPLIGHTER_ARCHIVE_URL={settings.archive_url!r} names no archive; use s3://bucket/prefix or file:///folder"
        )
    try:
        from lamplighter.adapters.s3_archive import S3Archive
    except ImportError:
        raise BadSetting("an archive on S3 needs the extra: pip install 'lamplighter[s3]'") from None
    prefix = address.path.strip("/")
    endpoint = settings.archive_s3_endpoint
    return S3Archive(address.netloc, frames, clock=clock, prefix=prefix, endpoint=endpoint)


def archive_folder(settings: Settings) -> Path | None:
    """The folder that page bodies are kept in; None when they are not kept on this machine's disks."""
    if settings.archive_url is None:
        return settings.data_dir / "archive"
    address = urlsplit(settings.archive_url)
    is_folder = address.scheme == "file" and not address.netloc and address.path.strip("/")
    return Path(unquote(address.path)) if is_folder else None


def queue_of(settings: Settings) -> Queue:
    """What wakes workers: RabbitMQ, or a call within the process."""
    url = settings.queue_url.get_secret_value() if settings.queue_url else ""
    if not url:
        return InProcessQueue()
    if not _is_amqp(url):
        raise BadSetting("LAMPLIGHTER_QUEUE_URL names no RabbitMQ; use amqp://user:password@host:5672/virtual-host")
    try:
        from lamplighter.adapters.rabbitmq import RabbitQueue
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
    """Where outside readers see what was visited and learnt; None when nobody wants to."""
    expires = durations.parsed(settings.redis_storage_expires)
    if expires is None:
        given = settings.redis_storage_expires
        raise BadSetting(
            f"LAMPLIGHTER_REDIS_STORAGE_EXPIRES={given!r} is no duration; write the like of 168h, 90m, 7d or 3600s"
        )
    if not settings.redis_storage_enabled:
        return None
    if settings.events_url is None:
        raise BadSetting(
            "LAMPLIGHTER_REDIS_STORAGE_ENABLED needs a Redis: set LAMPLIGHTER_EVENTS_URL=redis://host:6379/0"
        )
    try:
        from lamplighter.adapters.redis_mirror import RedisMirror
    except ImportError:
        raise BadSetting("showing crawl state in Redis needs the extra: pip install 'lamplighter[redis]'") from None
    return RedisMirror(settings.events_url.get_secret_value(), expires=expires, clock=clock)


def stream_of(settings: Settings, clock: Clock, *, instance: str) -> EventStream | None:
    """Through which events travel; None when they stay in the outbox, where they are received as well."""
    if settings.redis_events_enabled and settings.events_url is None:
        raise BadSetting(
            "LAMPLIGHTER_REDIS_EVENTS_ENABLED needs a Redis: set LAMPLIGHTER_EVENTS_URL=redis://host:6379/0, or leave "
            "both out, and events are passed on within the process"
        )
    if settings.events_url is None or settings.redis_events_enabled is False:
        return None
    try:
        from lamplighter.adapters.redis_connection import RedisConnection
        from lamplighter.adapters.redis_streams import RedisStream
    except ImportError:
        raise BadSetting("events through Redis need the extra: pip install 'lamplighter[redis]'") from None
    url = settings.events_url.get_secret_value()
    return RedisStream(RedisConnection(url, setting="LAMPLIGHTER_EVENTS_URL", clock=clock), instance=instance)


def index_of(settings: Settings) -> SearchServer | None:
    """The search server that records are found in; None when the database finds them."""
    if settings.index_url is None:
        return None
    engine, _, url = settings.index_url.get_secret_value().partition("+")
    key = settings.index_key.get_secret_value() if settings.index_key is not None else None
    if not url.startswith(("http://", "https://")):
        engine = ""
    match engine:
        case "meilisearch":
            from lamplighter.adapters.meilisearch import Meilisearch

            return Meilisearch(url, key=key, prefix=settings.index_prefix)
        case "elasticsearch" | "opensearch":
            from lamplighter.adapters.elasticsearch import Elasticsearch

            if key is not None and engine == "opensearch":
                raise BadSetting(
                    "OpenSearch knows no API keys; write user:password@ into LAMPLIGHTER_INDEX_URL instead"
                )
            return Elasticsearch(url, key=key, prefix=settings.index_prefix, engine=engine)
    raise BadSetting(
        "LAMPLIGHTER_INDEX_URL names no search server that we know; use meilisearch+http://host:7700, "
        "elasticsearch+https://host:9200 or opensearch+https://host:9200 (http or https)"
    )
