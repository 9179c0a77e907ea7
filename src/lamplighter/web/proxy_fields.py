"""The fields of a proxy, in the API and in the dashboard's form."""

from dataclasses import replace
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from lamplighter.operations.proxies.proxies import ProxySettings
from lamplighter.web.values import Given, Line

Country = Annotated[Line, Field(pattern=r"^[A-Za-z]{2}$")]
Place = Annotated[Line, Field(min_length=1, max_length=100)]


class ProxyFields(Given):
    """The fields of a proxy."""

    # A URL may contain a password, so it is parsed where an error does not repeat it.
    proxy_url: str | None = None
    proxy_port: int | None = Field(None, ge=1, le=65535)
    proxy_protocol: Literal["http", "https", "socks5"] | None = None
    proxy_username: Line | None = Field(None, min_length=1, max_length=255)
    proxy_password: SecretStr | None = Field(None, min_length=1, max_length=1000)
    country_code: Country | None = None
    city: Place | None = None
    provider: Place | None = None
    monthly_cost: float | None = Field(None, ge=0, le=99_999_999, allow_inf_nan=False)
    max_requests_per_hour: int | None = Field(None, ge=1, le=10_000_000)

    def changes(self) -> ProxySettings:
        """The changes as proxy settings; null clears a field."""
        null = {name for name in self.model_fields_set if getattr(self, name) is None}
        inside = ("proxy_username", "proxy_password")
        taken_back = {name.removeprefix("proxy_") if name in inside else name for name in null}
        return replace(self.settings(), taken_back=frozenset(taken_back))

    def settings(self) -> ProxySettings:
        """The fields as proxy settings."""
        given = {name.removeprefix("proxy_"): getattr(self, name) for name in ProxyFields.model_fields}
        if self.proxy_password is not None:
            given["password"] = self.proxy_password.get_secret_value()
        if self.monthly_cost is not None:
            given["monthly_cost"] = round(self.monthly_cost, 2)
        return ProxySettings(**given)
