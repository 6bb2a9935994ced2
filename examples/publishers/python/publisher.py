"""Posts events as CloudEvents in every content mode, and prints each answer as a line of JSON:

pip install -r requirements.txt && POSTRIDER_URL=http://127.0.0.1:3000 POSTRIDER_API_KEY=sk_live_… python publisher.py
"""

import json
import os
import uuid
from datetime import datetime, timezone
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from cloudevents.core.bindings.http import HTTPMessage, to_binary_event, to_structured_event
from cloudevents.core.v1.event import CloudEvent


def create_event() -> CloudEvent:
    return CloudEvent(
        attributes={
            "id": str(uuid.uuid4()),
            "source": "/shops/berlin",
            "type": "order.completed",
            "time": datetime.now(timezone.utc),
            "subject": "Euro €",
            "datacontenttype": "application/json",
            "channel": "web",
        },
        data={"amount": 42, "currency": "€"},
    )


def to_batch(events: list[CloudEvent]) -> HTTPMessage:
    """The SDK has no function for the batch format, which is a list of events in the JSON format."""
    bodies = [to_structured_event(event).body for event in events]
    return HTTPMessage({"content-type": "application/cloudevents-batch+json"}, b"[" + b",".join(bodies) + b"]")


def post(mode: str, path: str, message: HTTPMessage) -> None:
    headers = {**message.headers, "authorization": f"Bearer {os.environ['POSTRIDER_API_KEY']}"}
    request = Request(os.environ["POSTRIDER_URL"] + path, data=message.body, headers=headers)
    try:
        with urlopen(request, timeout=10) as response:
            status, body = response.status, response.read()
    except HTTPError as error:
        status, body = error.code, error.read()
    print(json.dumps({"mode": mode, "status": status, "body": json.loads(body)}))


event, other = create_event(), create_event()
post("structured", "/v1/events", to_structured_event(event))
# The event has the same id and source, so it is recorded once.
post("binary", "/v1/events", to_binary_event(event))
post("batch", "/v1/events/batch", to_batch([event, other]))
