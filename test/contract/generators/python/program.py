"""Calls each operation once with the generated client, and prints its id and status.

The last line is the id of the event whose data is a copy of the data of POSTRIDER_EVENT_ID.
"""

import os
from typing import Any, TypeVar

from postrider import AuthenticatedClient, models
from postrider.api.account import list_users, retrieve_account, update_account
from postrider.api.api_keys import create_api_key, delete_api_key, list_api_keys
from postrider.api.audit_log import list_audit_log
from postrider.api.customer_portal import (
    create_portal_session,
    delete_portal_sessions,
    retrieve_portal_session,
)
from postrider.api.event_types import (
    delete_event_type,
    list_event_types,
    put_event_type,
    retrieve_event_catalog,
    retrieve_event_type,
    retrieve_event_type_usage,
)
from postrider.api.events import (
    create_event,
    create_event_batch,
    list_attempts,
    list_event_attempts,
    list_events,
    resend_event,
    retrieve_delivery_stats,
    retrieve_event,
)
from postrider.api.replays import cancel_replay, create_replay, list_replays, retrieve_replay
from postrider.api.tenants import delete_tenant, list_tenants, put_tenant, retrieve_tenant
from postrider.api.webhooks import (
    create_webhook,
    delete_webhook,
    list_webhook_attempts,
    list_webhooks,
    preview_webhook,
    retrieve_delivery_health,
    retrieve_webhook,
    retrieve_webhook_health,
    rotate_webhook_secret,
    test_webhook,
    update_webhook,
)
from postrider.types import Response

client = AuthenticatedClient(base_url=os.environ["POSTRIDER_URL"], token=os.environ["POSTRIDER_API_KEY"])
event_id = os.environ["POSTRIDER_EVENT_ID"]

Result = TypeVar("Result")


def called(operation: str, result: type[Result], response: Response[Any]) -> Result:
    """Prints the status of a call."""
    print(operation, int(response.status_code))
    if not isinstance(response.parsed, result):
        raise TypeError(response.content)
    return response.parsed


called("retrieveAccount", models.Account, retrieve_account.sync_detailed(client=client))
called(
    "updateAccount",
    models.Account,
    update_account.sync_detailed(
        client=client,
        body=models.UpdateAccountRequest(portal=models.PortalSettingsRequest(name="Shop")),
    ),
)
called("listUsers", models.UserList, list_users.sync_detailed(client=client))

key = called(
    "createApiKey",
    models.ApiKeyWithSecret,
    create_api_key.sync_detailed(client=client, body=models.CreateApiKeyRequest(name="Backend")),
)
called("listApiKeys", models.ApiKeyList, list_api_keys.sync_detailed(client=client))
called("deleteApiKey", models.DeletedApiKey, delete_api_key.sync_detailed(key.id, client=client))

called(
    "putTenant",
    models.Tenant,
    put_tenant.sync_detailed("customer-42", client=client, body=models.PutTenantRequest(name="Acme")),
)
called("listTenants", models.TenantList, list_tenants.sync_detailed(client=client, search="Acme"))
called("retrieveTenant", models.Tenant, retrieve_tenant.sync_detailed("customer-42", client=client))
session = called(
    "createPortalSession",
    models.CreatedPortalSession,
    create_portal_session.sync_detailed(
        "customer-42", client=client, body=models.CreatePortalSessionRequest(expires_in=600)
    ),
)
portal_client = AuthenticatedClient(base_url=os.environ["POSTRIDER_URL"], token=session.token)
called("retrievePortalSession", models.PortalSession, retrieve_portal_session.sync_detailed(client=portal_client))
called(
    "deletePortalSessions",
    models.RevokedPortalSessions,
    delete_portal_sessions.sync_detailed("customer-42", client=client),
)
called("deleteTenant", models.DeletedTenant, delete_tenant.sync_detailed("customer-42", client=client))

webhook = called(
    "createWebhook",
    models.WebhookWithSecret,
    create_webhook.sync_detailed(
        client=client,
        body=models.CreateWebhookRequest(url=os.environ["POSTRIDER_WEBHOOK_URL"], events=["order.*"]),
    ),
)
called(
    "listWebhooks",
    models.WebhookList,
    list_webhooks.sync_detailed(client=client, include=models.ListWebhooksInclude.HEALTH),
)
called("retrieveWebhook", models.Webhook, retrieve_webhook.sync_detailed(webhook.id, client=client))
called(
    "updateWebhook",
    models.Webhook,
    update_webhook.sync_detailed(
        webhook.id,
        client=client,
        body=models.UpdateWebhookRequest(
            name="Orders", auth=models.BearerAuthenticationRequest(type_="bearer", token="secret")
        ),
    ),
)
called(
    "rotateWebhookSecret",
    models.WebhookWithSecret,
    rotate_webhook_secret.sync_detailed(
        webhook.id, client=client, body=models.RotateWebhookSecretRequest(expires_in=0)
    ),
)
called(
    "testWebhook",
    models.TestDelivery,
    test_webhook.sync_detailed(webhook.id, client=client, body=models.TestWebhookRequest()),
)
called(
    "previewWebhook",
    models.WebhookPreview,
    preview_webhook.sync_detailed(
        webhook.id, client=client, body=models.PreviewWebhookRequest(event_id=event_id)
    ),
)

example = models.EventData()
example["orderId"] = "ord_1"
called(
    "putEventType",
    models.EventTypeOrDryRun,
    put_event_type.sync_detailed(
        "order.refunded",
        client=client,
        body=models.PutEventTypeRequest(
            schema={"type": "object", "required": ["orderId"]},
            examples=[example],
            validation=models.ValidationMode.WARN,
        ),
    ),
)
called(
    "listEventTypes",
    models.EventTypeList,
    list_event_types.sync_detailed(client=client, include=models.ListEventTypesInclude.USAGE),
)
called("retrieveEventType", models.EventType, retrieve_event_type.sync_detailed("order.refunded", client=client))
called(
    "retrieveEventTypeUsage",
    models.EventTypeUsage,
    retrieve_event_type_usage.sync_detailed("order.refunded", client=client),
)
called("retrieveEventCatalog", models.EventCatalog, retrieve_event_catalog.sync_detailed(client=client))

event = called("retrieveEvent", models.Event, retrieve_event.sync_detailed(event_id, client=client))
copy = called(
    "createEvent",
    models.Event,
    create_event.sync_detailed(
        client=client, body=models.CreateEventRequest(type_=event.type_, data=event.data)
    ),
)
called(
    "createEventBatch",
    models.EventBatch,
    create_event_batch.sync_detailed(
        client=client,
        body=models.CreateEventBatchRequest(events=[models.BatchEvent(type_=event.type_, data=event.data)]),
    ),
)
called("listEvents", models.EventList, list_events.sync_detailed(client=client, type_=["order.*"]))
called(
    "resendEvent",
    models.Event,
    resend_event.sync_detailed(event_id, client=client, body=models.ResendEventRequest()),
)

called("listAttempts", models.SearchedAttemptList, list_attempts.sync_detailed(client=client))
called("listEventAttempts", models.AttemptList, list_event_attempts.sync_detailed(event_id, client=client))
called("listWebhookAttempts", models.AttemptList, list_webhook_attempts.sync_detailed(webhook.id, client=client))
called(
    "retrieveWebhookHealth", models.WebhookHealth, retrieve_webhook_health.sync_detailed(webhook.id, client=client)
)
called("retrieveDeliveryHealth", models.DeliveryHealth, retrieve_delivery_health.sync_detailed(client=client))
called(
    "retrieveDeliveryStats",
    models.DeliveryStatsList,
    retrieve_delivery_stats.sync_detailed(client=client, bucket=models.RetrieveDeliveryStatsBucket.MINUTE),
)

replay = called(
    "createReplay",
    models.ReplayOrDryRun,
    create_replay.sync_detailed(
        client=client,
        body=models.CreateReplayRequest(
            webhook_id=webhook.id, since=copy.created, only=models.ReplaySelection.ALL
        ),
    ),
)
replay_id = str(replay.id)
called("listReplays", models.ReplayList, list_replays.sync_detailed(client=client))
called("retrieveReplay", models.Replay, retrieve_replay.sync_detailed(replay_id, client=client))
called("cancelReplay", models.Replay, cancel_replay.sync_detailed(replay_id, client=client))

called("deleteEventType", models.DeletedEventType, delete_event_type.sync_detailed("order.refunded", client=client))
called("deleteWebhook", models.DeletedWebhook, delete_webhook.sync_detailed(webhook.id, client=client))
called("listAuditLog", models.AuditLog, list_audit_log.sync_detailed(client=client))
print(copy.id)
