"""Only administrators say where data is sent."""

from collections.abc import Callable

from tests.web.asgi_client import Ask


async def test_a_webhook_of_a_task_takes_an_administrator(bearer: Callable[..., Ask]) -> None:
    domain = await bearer("admin").post("/api/admin/domains", {"base_url": "https://shop.example"})
    new = {"domain_id": domain.json["data"]["id"], "url": "https://shop.example/1"}
    hook = {"webhook_url": "https://hooks.example/", "webhook_secret": "0123456789abcdef"}

    refused = await bearer("operator").post("/api/admin/tasks", new | hook)
    batch = {"domain_id": new["domain_id"], "urls": [new["url"]]}
    refused_batch = await bearer("operator").post("/api/admin/tasks/batch", batch | hook)
    plain = await bearer("operator").post("/api/admin/tasks", new)

    assert (refused.status, refused_batch.status, plain.status) == (403, 403, 201)
    assert "webhook_url takes the role admin; yours is operator" in refused.text
