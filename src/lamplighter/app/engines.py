"""Settings in, adapters out: which engine answers each port."""

from lamplighter.adapters.file_archive import FileArchive
from lamplighter.adapters.key_ring import KeyFile, KeyRing
from lamplighter.ports import Archive, Vault
from lamplighter.settings import Settings


def vault_of(settings: Settings) -> Vault:
    """What encrypts secrets: with the keys of the environment, or with those of the data folder."""
    if settings.encryption_keys is None:
        return KeyFile(settings.data_dir / "keys")
    keys = [key.strip() for key in settings.encryption_keys.get_secret_value().split(",")]
    return KeyRing(keys, named="LAMPLIGHTER_ENCRYPTION_KEYS")


def archive_of(settings: Settings) -> Archive:
    """Where page bodies are kept."""
    return FileArchive(settings.data_dir / "archive")
