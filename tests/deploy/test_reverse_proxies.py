"""Behind a real nginx: the documented block works, and a careless one makes nobody admin."""

import re
import shutil
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
import yaml

from lamplighter.model.access import Role, Stamp
from lamplighter.operations.access import passwords, users
from lamplighter.store.access import audit_log
from lamplighter.store.access.audit_log import AuditFilter
from tests.deploy.nginx import free_port, nginx
from tests.origin import certificate
from tests.repository import ROOT
from tests.service.installation import running

NAME = "lamplighter.example.org"
PASSWORD = "four plain words together"
CARELESS = "server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {url}; }} }}"


@pytest.fixture
def database_url(tmp_path: Path, migrated_file: Path) -> str:
    """An empty SQLite database."""
    return f"sqlite:///{shutil.copyfile(migrated_file, tmp_path / 'lamplighter.db')}"


def blocks(language: str) -> list[str]:
    """The examples of docs/deploy.md in a language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs/deploy.md").read_text(), re.DOTALL)


async def test_the_documented_nginx_serves_people_who_log_in(tmp_path: Path, database_url: str) -> None:
    key, pem, port = tmp_path / "key.pem", tmp_path / "certificate.pem", free_port()
    certificate.write(key, pem, names=f"DNS:{NAME}")
    (block,) = blocks("nginx")
    trusting = ssl.create_default_context(cafile=str(pem))

    async with running(
        tmp_path, database_url, public_url=f"https://{NAME}", trusted_proxies="127.0.0.1"
    ) as installation:
        now, stored = installation.service.clock.now(), passwords.hash_of(PASSWORD)
        await installation.service.db.write(
            lambda db: users.add(db, "anna", role=Role.ADMIN, password_hash=stored, stamp=Stamp("test", now))
        )
        server = (
            block.replace("listen 443", f"listen 127.0.0.1:{port}")
            .replace(f"/etc/ssl/{NAME}.pem", str(pem))
            .replace(f"/etc/ssl/{NAME}.key", str(key))
            .replace("127.0.0.1:8060", urlsplit(installation.url).netloc)
        )
        # From another address than the proxy's own, so that it is seen whose address counts.
        here = aiohttp.TCPConnector(ssl=trusting, local_addr=("127.0.0.2", 0))
        with nginx(tmp_path, server, port=port):
            async with aiohttp.ClientSession(
                f"https://127.0.0.1:{port}", connector=here, headers={"Host": NAME}
            ) as browser:
                told = {"server_hostname": NAME, "allow_redirects": False}
                async with browser.get("/login", **told) as page:
                    token = re.findall(r'name="csrf_token" value="([0-9a-f]+)"', await page.text())[0]
                    (cookie,) = page.cookies.values()
                fields = {"csrf_token": token, "name": "anna", "password": PASSWORD, "next": "/"}
                sent = {"Origin": f"https://{NAME}", "Cookie": f"{cookie.key}={cookie.value}"}
                async with browser.post("/login", data=fields, headers=sent, **told) as done:
                    session = done.cookies["lamplighter_session"]
                proof = {"Cookie": f"lamplighter_session={session.value}"}
                async with browser.get("/api/v1/me", headers=proof, **told) as me:
                    known = await me.json()
                async with browser.get("/health", **told) as health:
                    told_to_strangers = await health.json()
        async with installation.service.db.read() as db:
            (entry,) = await audit_log.listed(db, AuditFilter(action="login.succeed"), limit=9, offset=0)

    assert done.status == 303
    assert session["secure"]
    assert known == {"name": "user:anna", "role": "admin"}
    assert entry.after == {"address": "127.0.0.2"}
    assert told_to_strangers == {"status": "ok"}


async def test_a_careless_nginx_before_a_service_without_a_login_makes_nobody_admin(
    tmp_path: Path, database_url: str
) -> None:
    port = free_port()
    new = {"name": "eve", "password": PASSWORD, "role": "admin"}

    async with running(tmp_path, database_url, auth_jwt_secret=None) as installation:
        server = CARELESS.format(port=port, url=installation.url)
        with nginx(tmp_path, server, port=port):
            async with aiohttp.ClientSession() as anybody:
                async with anybody.post(f"http://127.0.0.1:{port}/api/v1/users", json=new) as reply:
                    refusal = await reply.json()
                async with anybody.get(f"{installation.url}/api/v1/me") as direct:
                    pass

    assert reply.status == 401
    assert "LAMPLIGHTER_AUTH_JWT_SECRET" in refusal["detail"]
    assert direct.status == 401


def test_the_traefik_example_leads_to_the_service() -> None:
    (block,) = blocks("yaml")

    service = yaml.safe_load(block)["http"]["services"]["lamplighter"]["loadBalancer"]

    assert service["servers"] == [{"url": "http://127.0.0.1:8060"}]
