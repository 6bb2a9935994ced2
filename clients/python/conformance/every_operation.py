"""Calls every operation of a service: ``python every_operation.py ADDRESS API_KEY RECEIVER``.

The library reads each response into its types, and raises an error if one differs.
"""

import sys
import time
from datetime import datetime, timezone

from postrider import Postrider

LONG_AGO = datetime(2026, 1, 1, tzinfo=timezone.utc)
DELIVERY_SECONDS = 60.0


def call_account(client: Postrider) -> None:
    client.account.retrieve()
    client.account.update(portal={"name": "Shop"})
    list(client.users.list())
    key = client.api_keys.create(name="Backend")
    list(client.api_keys.list(tenant_id=None))
    client.api_keys.delete(key.id)
    list(client.audit_log.list(resource_type="api_key", created_gte=LONG_AGO))


def call_tenants(client: Postrider, address: str) -> None:
    client.tenants.put("customer:42", metadata={"plan": "gold"})
    client.tenants.retrieve("customer:42")
    list(client.tenants.list(search="customer"))
    session = client.tenants.create_portal_session("customer:42", expires_in=600)
    with Postrider(session.token, base_url=address) as customer:
        customer.portal_session.retrieve()
    client.tenants.delete_portal_sessions("customer:42")
    client.tenants.delete("customer:42")


def call_event_types(client: Postrider) -> None:
    name, schema = "order.refunded", {"type": "object", "required": ["orderId"]}
    client.event_types.dry_run(name, schema=schema)
    client.event_types.put(name, schema=schema, examples=[{"orderId": "ord_1"}], validation="warn")
    client.event_types.retrieve(name)
    list(client.event_types.list(include="usage"))
    client.event_types.usage(name, days=1)
    client.event_types.catalog()
    client.event_types.delete(name)


def call_webhooks(client: Postrider, url: str) -> str:
    webhook = client.webhooks.create(url=url, events=["order.*"], filter={"data": {"amount": {"$gt": 1}}})
    client.webhooks.update(webhook.id, auth={"type": "bearer", "token": "secret"}, format="thin", filter=None)
    client.webhooks.retrieve(webhook.id)
    list(client.webhooks.list(include="health", tenant_id=None))
    client.webhooks.rotate_secret(webhook.id, expires_in=0)
    client.webhooks.test(webhook.id)
    client.webhooks.preview(webhook.id, type="order.completed", data={})
    client.webhooks.health(webhook.id)
    client.delivery_health.retrieve(tenant_id=None)
    return webhook.id


def call_events(client: Postrider, webhook_id: str) -> None:
    last = client.events.create(type="order.completed", data={})
    event = client.events.create(type="order.completed", data={"amount": 1.5})
    # From a known event on, because a stream without one misses what precedes its connection.
    with client.events.stream(types="order.*", tenant_id=None, last_event_id=last.id) as stream:
        next(item for item in stream if item.id == event.id)
    client.events.create_batch(events=[{"type": "order.completed", "data": {}}])
    until_delivered(client, event.id)
    list(client.events.list(type=["order.*", "invoice.paid"], webhook_id=webhook_id))
    list(client.events.list(fields="summary", tenant_id=None))
    client.events.resend(event.id)
    list(client.events.list_attempts(event.id))
    list(client.webhooks.list_attempts(webhook_id))
    list(client.attempts.list(status="succeeded"))
    client.stats.deliveries(bucket="minute", tenant_id=None)


def until_delivered(client: Postrider, event_id: str) -> None:
    end = time.monotonic() + DELIVERY_SECONDS
    while not any(delivery.status == "delivered" for delivery in client.events.retrieve(event_id).deliveries):
        if time.monotonic() > end:
            raise TimeoutError(f"{event_id} was not delivered")
        time.sleep(0.2)


def call_replays(client: Postrider, webhook_id: str) -> None:
    client.replays.dry_run(webhook_id=webhook_id, since=LONG_AGO, only="all")
    replay = client.replays.create(webhook_id=webhook_id, since=LONG_AGO, only="all")
    list(client.replays.list(webhook_id=webhook_id))
    client.replays.retrieve(replay.id)
    client.replays.cancel(replay.id)


def main() -> None:
    address, api_key, receiver = sys.argv[1:]
    with Postrider(api_key, base_url=address) as client:
        call_account(client)
        call_tenants(client, address)
        call_event_types(client)
        webhook_id = call_webhooks(client, receiver)
        call_events(client, webhook_id)
        call_replays(client, webhook_id)
        client.webhooks.delete(webhook_id)


if __name__ == "__main__":
    main()
