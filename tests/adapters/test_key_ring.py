"""What encrypts secrets, and what becomes of them when keys change or are lost?"""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from lamplighter.adapters.key_ring import KeyFile, KeyRing
from lamplighter.errors import BadSetting, NotPossible


def key() -> str:
    return Fernet.generate_key().decode()


def ring(*keys: str) -> KeyRing:
    return KeyRing(keys, named="KEYS")


def test_what_is_encrypted_can_be_read_with_the_key_only() -> None:
    mine = ring(key())

    sealed = mine.encrypt("s3crét")

    assert mine.decrypt(sealed) == "s3crét"
    assert b"s3cr" not in sealed
    with pytest.raises(NotPossible, match="KEYS") as refused:
        ring(key()).decrypt(sealed)
    assert refused.value.code == "secret_unreadable"


def test_the_first_key_encrypts_and_all_decrypt() -> None:
    old, new = key(), key()
    sealed = ring(old).encrypt("a")

    both = ring(new, old)

    assert both.decrypt(sealed) == "a"
    assert ring(new).decrypt(both.encrypt("b")) == "b"


@pytest.mark.parametrize("bad", ["", "short", "a" * 44, "é" * 44])
def test_a_key_that_is_none_is_refused_and_not_shown(bad: str) -> None:
    with pytest.raises(BadSetting, match="KEYS") as refused:
        ring(key(), bad)

    assert not bad or bad not in str(refused.value)


def test_the_file_is_made_when_it_is_first_needed_and_for_us_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "keys"
    vault = KeyFile(path)

    assert not path.exists()
    sealed = vault.encrypt("a")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KeyFile(path).decrypt(sealed) == "a"
    assert [file.name for file in path.parent.iterdir()] == ["keys"]


def test_processes_that_begin_at_once_agree_on_one_key(tmp_path: Path) -> None:
    vaults = [KeyFile(tmp_path / "keys") for _ in range(8)]

    with ThreadPoolExecutor(8) as threads:
        sealed = list(threads.map(lambda vault: vault.encrypt("a"), vaults))

    assert {KeyFile(tmp_path / "keys").decrypt(each) for each in sealed} == {"a"}


def test_a_key_that_another_process_added_is_used_at_once(tmp_path: Path) -> None:
    service, command = KeyFile(tmp_path / "keys"), KeyFile(tmp_path / "keys")
    old = service.encrypt("a")

    assert command.add_key()
    new = service.encrypt("b")

    newest = (tmp_path / "keys").read_text().split()[0]
    assert ring(newest).decrypt(new) == "b"
    assert service.decrypt(old) == "a"
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o600


def test_a_lost_file_is_named_and_not_replaced_by_reading(tmp_path: Path) -> None:
    vault = KeyFile(tmp_path / "keys")
    sealed = vault.encrypt("a")
    (tmp_path / "keys").unlink()

    with pytest.raises(NotPossible, match="keys is missing"):
        vault.decrypt(sealed)

    assert not (tmp_path / "keys").exists()


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("\n")

    with pytest.raises(BadSetting, match="holds no key"):
        KeyFile(tmp_path / "keys").encrypt("a")
