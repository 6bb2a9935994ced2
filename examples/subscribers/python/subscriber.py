"""Appends every event to a file, once, as JSON lines, however often it is killed and started again:

pip install -r requirements.txt && KAFKA_BROKERS=127.0.0.1:9092 python subscriber.py events.jsonl
"""

import json
import os
import signal
import sys
from pathlib import Path

from cloudevents.core.base import BaseCloudEvent
from cloudevents.core.bindings.kafka import KafkaMessage, from_binary_event
from cloudevents.core.exceptions import BaseCloudEventException
from cloudevents.core.formats.json import JSONFormat
from confluent_kafka import Consumer, Message


# The number of remembered ids. A duplicate follows soon after the first record.
REMEMBERED = 100_000

path = Path(sys.argv[1] if len(sys.argv) > 1 else "events.jsonl")
json_format = JSONFormat()


def read_seen() -> dict[str, None]:
    """The ids that an earlier run has written. An incomplete line is removed, and its event is read again."""
    content = path.read_bytes() if path.exists() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        os.truncate(path, len(whole))
    ids = [json.loads(line)["id"] for line in whole.splitlines()]
    return dict.fromkeys(ids[-REMEMBERED:])


def to_cloud_event(message: Message) -> BaseCloudEvent | None:
    """None if the record is not an event: any producer may append to the topic, and records that the service rejects stay there."""
    headers = dict(message.headers() or [])
    try:
        return from_binary_event(KafkaMessage(headers, message.key(), message.value() or b""))
    except (BaseCloudEventException, ValueError):
        print(f"partition {message.partition()}, offset {message.offset()}: no event", file=sys.stderr)
        return None


def keep(event: BaseCloudEvent) -> None:
    """Writes the line of an event, with its id. Both are in one write, so that a crash leaves both or neither."""
    if event.get_id() in seen:
        return
    os.write(output, json_format.write(event) + b"\n")
    seen[event.get_id()] = None
    if len(seen) > REMEMBERED:
        del seen[next(iter(seen))]


settings = {
    "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092"),
    "group.id": os.environ.get("GROUP_ID", "subscriber"),
    # A group without committed offsets begins with the first event.
    "auto.offset.reset": "earliest",
    "enable.auto.commit": False,
    "session.timeout.ms": 6_000,
}
if "KAFKA_USERNAME" in os.environ:
    settings |= {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": os.environ["KAFKA_USERNAME"],
        "sasl.password": os.environ.get("KAFKA_PASSWORD", ""),
    }

seen = read_seen()
output = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
is_running = True


def stop(*_: object) -> None:
    global is_running
    is_running = False


signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)

consumer = Consumer(settings)
consumer.subscribe([os.environ.get("TOPIC", "postrider.events")])
try:
    while is_running:
        messages = consumer.consume(num_messages=500, timeout=0.5)
        for message in messages:
            if message.error():
                print(message.error(), file=sys.stderr)
            elif event := to_cloud_event(message):
                keep(event)
        # Offsets are committed last: a crash would lose an event whose offset is committed before its line is written.
        if any(not message.error() for message in messages):
            consumer.commit(asynchronous=False)
finally:
    consumer.close()
