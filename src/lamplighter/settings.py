"""The configuration, read from the environment: the fields, what follows from them, and how they are loaded."""

import difflib
import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from pydantic import PrivateAttr, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from lamplighter import __version__
from lamplighter.errors import BadSetting
from lamplighter.setting_fields import PREFIX as PREFIX
from lamplighter.setting_fields import SettingFields

#: the rest of the name, in lower case, is how a recipe refers to the secret
SECRET_PREFIX = PREFIX + "SECRET_"


class Settings(SettingFields):
    """The whole configuration, immutable once loaded."""

    #: name -> value of every LAMPLIGHTER_SECRET_*; never shown
    _secrets: dict[str, SecretStr] = PrivateAttr(default_factory=dict)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What a caller gives, then the environment: files are not searched, which would double the time."""
        return init_settings, env_settings

    @property
    def secrets(self) -> Mapping[str, str]:
        """Secrets that recipes may refer to by name; read when a request is sent, never stored or logged."""
        return {name: secret.get_secret_value() for name, secret in self._secrets.items()}

    @property
    def jwt_secret(self) -> str | None:
        """The secret that signs tokens; None when there is none."""
        # An empty variable, as composed environments have them, counts as unset.
        return (self.auth_jwt_secret.get_secret_value() or None) if self.auth_jwt_secret else None

    @property
    def is_dev(self) -> bool:
        """Whether users of this machine may do everything, without a login."""
        return self.env == "dev" or (self.env is None and self.jwt_secret is None)

    @property
    def resolved_database_url(self) -> str:
        """The database to open: the given one, or the file in the data folder."""
        return self.database_url or f"sqlite:///{self.data_dir / 'lamplighter.db'}"

    @property
    def most_redirects(self) -> int:
        """How many redirects are followed for one page."""
        return self.max_redirects if self.follow_redirects else 0

    @property
    def resolved_user_agent(self) -> str:
        """Our User-Agent, always with a URL that explains the crawler."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        page = self.contact_url or f"http://{host}:{self.port}/bot"
        return self.user_agent or f"LamplighterBot/{__version__} (+{page})"

    @property
    def has_contact(self) -> bool:
        """Whether a site owner could find out who we are."""
        return bool(self.contact_url or self.user_agent)

    @property
    def lease(self) -> timedelta:
        """How long a lease lasts without a heartbeat."""
        return timedelta(seconds=self.lease_seconds)


def load(env: Mapping[str, str] | None = None, /, **overrides: Any) -> Settings:
    """Loads the environment; an unknown name or an invalid value is an error that says what would work."""
    names = os.environ if env is None else env
    known = {PREFIX + field.upper() for field in Settings.model_fields}
    for name in names:
        if name.startswith(PREFIX) and name not in known and not name.startswith((PREFIX + "TEST_", SECRET_PREFIX)):
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            raise BadSetting(f"{name} is not a setting; did you mean {near[0]}?")
    try:
        settings = Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"]))
        shown = "" if any(word in name.upper() for word in ("SECRET", "KEY")) else f"={first.get('input')!r}"
        raise BadSetting(f"{name}{shown}: {first['msg']}") from None
    settings._secrets.update(
        {
            name.removeprefix(SECRET_PREFIX).lower(): SecretStr(value)
            for name, value in names.items()
            if name.startswith(SECRET_PREFIX)
        }
    )
    return settings
