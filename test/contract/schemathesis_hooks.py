"""Hooks of the schemathesis run."""

import os

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    """Lets calls meet what they need, and spares what others need."""
    parameters = case.path_parameters or {}
    if case.operation.path == "/v1/events/{id}/resend":
        resend_delivery(case)
    elif case.operation.path == "/v1/replays":
        use_webhook(case)
    elif case.operation.path.startswith("/v1/replays/"):
        case.path_parameters = {"id": os.environ["REPLAY_ID"]}
    elif case.operation.path == "/v1/tenants/{id}/portal-sessions":
        case.path_parameters = {"id": os.environ["TENANT_ID"]}
    elif parameters.get("id") == "":
        # A path without an id is another path, which the document does not describe.
        case.path_parameters["id"] = "none"
    elif case.method.upper() != "GET" and parameters.get("id") in spared_ids():
        case.path_parameters["id"] = "spared"


def spared_ids():
    """The key that the run itself uses, the webhook of the delivery below, and the tenant of the portal sessions."""
    return (os.environ["OWN_API_KEY_ID"], os.environ["DELIVERED_WEBHOOK_ID"], os.environ["TENANT_ID"])


def resend_delivery(case):
    """There is one event with a delivery that can be sent again: no generated id would be its."""
    case.path_parameters = {"id": os.environ["DELIVERED_EVENT_ID"]}
    use_webhook(case)


def use_webhook(case):
    """What looks like a webhook's id becomes that of one that is there."""
    if isinstance(case.body, dict) and str(case.body.get("webhookId")).startswith("wh_"):
        case.body["webhookId"] = os.environ["DELIVERED_WEBHOOK_ID"]
