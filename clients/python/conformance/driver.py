"""The conformance driver: ``python driver.py sync`` or ``python driver.py async`` (clients/conformance/README.md)."""

import asyncio
import base64
import json
import sys
from collections.abc import Mapping
from typing import Any

import postrider
from postrider import AsyncPostrider, Postrider, RawJson, types

Arguments = dict[str, Any]
Result = dict[str, Any]

ERROR_TYPES: Mapping[type[Exception], str] = {
    postrider.InvalidRequestError: "invalid_request_error",
    postrider.AuthenticationError: "authentication_error",
    postrider.PermissionDeniedError: "permission_error",
    postrider.IdempotencyError: "idempotency_error",
    postrider.RateLimitError: "rate_limit_error",
    postrider.APIError: "api_error",
    postrider.APIConnectionError: "connection_error",
    postrider.InvalidResponseError: "invalid_response_error",
    postrider.StreamGapError: "stream_gap_error",
    postrider.SignatureVerificationError: "verification_error",
    ValueError: "argument_error",
    TypeError: "argument_error",
}

OPTIONS = {"limit": "limit", "startingAfter": "starting_after", "endingBefore": "ending_before", "type": "type"}


def run_sync(command: str, settings: Mapping[str, Any], arguments: Arguments) -> Result:
    with Postrider(**settings) as client:
        match command:
            case "events.create":
                return event(client.events.create(**creation(arguments)), created(arguments))
            case "events.retrieve":
                return event(client.events.retrieve(arguments["id"]), arguments)
            case "events.list":
                page = client.events.list(**options(arguments))
                return {"items": [event(item, arguments) for item in page.data], "hasMore": page.has_more}
            case "events.listAll":
                return {"items": [event(item, arguments) for item in client.events.list(**options(arguments))]}
            case "events.stream":
                with client.events.stream(**stream_options(arguments)) as stream:
                    return {
                        "items": [
                            event(item, arguments) for _, item in zip(range(arguments["count"]), stream, strict=False)
                        ]
                    }
            case "webhooks.create":
                return webhook(client.webhooks.create(**webhook_creation(arguments)))
            case "webhooks.retrieve":
                return webhook(client.webhooks.retrieve(arguments["id"]))
            case "webhooks.update":
                return webhook(client.webhooks.update(arguments["id"], **named(arguments["changes"])))
            case "webhooks.delete":
                deleted = client.webhooks.delete(arguments["id"])
                return {"id": deleted.id, "deleted": deleted.deleted}
            case "webhooks.list":
                webhooks = client.webhooks.list(**options(arguments))
                return {"items": [webhook(item) for item in webhooks.data], "hasMore": webhooks.has_more}
            case "webhooks.listAll":
                return {"items": [webhook(item) for item in client.webhooks.list(**options(arguments))]}
            case "eventTypes.dryRun":
                return {"checked": client.event_types.dry_run(**arguments).checked}
            case "replays.dryRun":
                return {"matched": client.replays.dry_run(**named(arguments)).matched}
    raise NotImplementedError(command)


async def run_async(command: str, settings: Mapping[str, Any], arguments: Arguments) -> Result:
    async with AsyncPostrider(**settings) as client:
        match command:
            case "events.create":
                return event(await client.events.create(**creation(arguments)), created(arguments))
            case "events.retrieve":
                return event(await client.events.retrieve(arguments["id"]), arguments)
            case "events.list":
                page = await client.events.list(**options(arguments))
                return {"items": [event(item, arguments) for item in page.data], "hasMore": page.has_more}
            case "events.listAll":
                return {"items": [event(item, arguments) async for item in client.events.list(**options(arguments))]}
            case "events.stream":
                items: list[Result] = []
                async with client.events.stream(**stream_options(arguments)) as stream:
                    async for item in stream:
                        items.append(event(item, arguments))
                        if len(items) == arguments["count"]:
                            break
                return {"items": items}
            case "webhooks.create":
                return webhook(await client.webhooks.create(**webhook_creation(arguments)))
            case "webhooks.retrieve":
                return webhook(await client.webhooks.retrieve(arguments["id"]))
            case "webhooks.update":
                return webhook(await client.webhooks.update(arguments["id"], **named(arguments["changes"])))
            case "webhooks.delete":
                deleted = await client.webhooks.delete(arguments["id"])
                return {"id": deleted.id, "deleted": deleted.deleted}
            case "webhooks.list":
                webhooks = await client.webhooks.list(**options(arguments))
                return {"items": [webhook(item) for item in webhooks.data], "hasMore": webhooks.has_more}
            case "webhooks.listAll":
                return {"items": [webhook(item) async for item in client.webhooks.list(**options(arguments))]}
            case "eventTypes.dryRun":
                return {"checked": (await client.event_types.dry_run(**arguments)).checked}
            case "replays.dryRun":
                return {"matched": (await client.replays.dry_run(**named(arguments))).matched}
    raise NotImplementedError(command)


def run_offline(command: str, arguments: Arguments) -> Result:
    secrets = arguments["secrets"]
    secret = secrets[0] if len(secrets) == 1 else secrets
    if command == "signWebhook":
        headers = postrider.sign_webhook(
            arguments["body"], secret, id=arguments["id"], timestamp=arguments["timestamp"]
        )
        return {"headers": headers}
    body = base64.b64decode(arguments["bodyBase64"]) if "bodyBase64" in arguments else arguments["body"]
    tolerance = {"tolerance": arguments["toleranceSeconds"]} if "toleranceSeconds" in arguments else {}
    return {"event": postrider.verify_webhook(body, arguments["headers"], secret, **tolerance).payload}


def client_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    settings = {"baseUrl": "base_url", "apiKey": "api_key", "maxRetries": "max_retries"}
    timeout = {"timeout": given["timeoutMs"] / 1000} if "timeoutMs" in given else {}
    return {name: given[key] for key, name in settings.items() if key in given} | timeout


def creation(arguments: Arguments) -> Arguments:
    data = RawJson(arguments["rawData"]) if "rawData" in arguments else arguments["data"]
    return {"type": arguments["type"], "data": data, "idempotency_key": arguments.get("idempotencyKey")}


def created(arguments: Arguments) -> Arguments:
    """An event is shown as it was sent, because not all values of raw data have a form in JSON, such as 1E400."""
    return {"raw": "rawData" in arguments}


def webhook_creation(arguments: Arguments) -> Arguments:
    fields = {name: arguments[name] for name in ("url", "events", "description") if name in arguments}
    return {**fields, "idempotency_key": arguments.get("idempotencyKey")}


def named(fields: Arguments) -> Arguments:
    """The fields of a request by their Python names, which the suite does not know."""
    return {snake_case(name): value for name, value in fields.items()}


def snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def options(arguments: Arguments) -> Arguments:
    return {name: arguments[key] for key, name in OPTIONS.items() if key in arguments}


def stream_options(arguments: Arguments) -> Arguments:
    names = {"lastEventId": "last_event_id", "types": "types"}
    return {name: arguments[key] for key, name in names.items() if key in arguments}


def event(item: types.Event | types.ListedEvent, arguments: Arguments | None = None) -> Result:
    data = item.data
    content: Result = {"data": data}
    if arguments is not None and arguments.get("raw"):
        content = {"rawData": None if data is None else data.raw.text}
    return {"id": item.id, "type": item.type, "created": item.created.isoformat(), **content}


def webhook(item: types.Webhook | types.WebhookWithSecret) -> Result:
    secret = {"secret": item.secret} if isinstance(item, types.WebhookWithSecret) else {}
    return {
        "id": item.id,
        "url": item.url,
        "events": item.events,
        "status": item.status,
        "description": item.description,
        "created": item.created.isoformat(),
        **secret,
    }


def error_of(error: Exception) -> Result:
    error_type = next((name for cls, name in ERROR_TYPES.items() if isinstance(error, cls)), "unexpected_error")
    return {
        "type": error_type,
        "code": getattr(error, "code", None),
        "param": getattr(error, "param", None),
        "requestId": getattr(error, "request_id", None),
        "status": getattr(error, "status", None),
        "message": str(error),
    }


def answer(line: bytes, *, is_async: bool) -> Result:
    request = json.loads(line)
    command, arguments = request["command"], request["arguments"]
    try:
        if command in ("verifyWebhook", "signWebhook"):
            return {"result": run_offline(command, arguments)}
        settings = client_settings(request.get("settings", {}))
        if is_async:
            return {"result": asyncio.run(run_async(command, settings, arguments))}
        return {"result": run_sync(command, settings, arguments)}
    except Exception as error:
        return {"error": error_of(error)}


def main() -> None:
    for line in sys.stdin.buffer:
        print(json.dumps(answer(line, is_async=sys.argv[1:] == ["async"])), flush=True)


if __name__ == "__main__":
    main()
