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


# A repeat comes soon after the first: so many ids are remembered.
REMEMBERED = 100_000

path = Path(sys.argv[1] if len(sys.argv) > 1 else "events.jsonl")
json_format = JSONFormat()


def read_seen() -> dict[str, None]:
    """What an earlier run has kept. A line that it did not finish comes again."""
    content = path.read_bytes() if path.exists() else b""
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        os.truncate(path, len(whole))
    ids = [json.loads(line)["id"] for line in whole.splitlines()]
    return dict.fromkeys(ids[-REMEMBERED:])


def to_cloud_event(message: Message) -> BaseCloudEvent | None:
    """None for what is no event: any producer may append to the topic, and what the service refuses stays there."""
    headers = dict(message.headers() or [])
    try:
        return from_binary_event(KafkaMessage(headers, message.key(), message.value() or b""))
    except (BaseCloudEventException, ValueError):
        print(f"partition {message.partition()}, offset {message.offset()}: no event", file=sys.stderr)
        return None


def keep(event: BaseCloudEvent) -> None:
    """The line is the effect, and its id says that it is there: both in one write, so that a crash leaves both or neither."""
    if event.get_id() in seen:
        return
    os.write(output, json_format.write(event) + b"\n")
    seen[event.get_id()] = None
    if len(seen) > REMEMBERED:
        del seen[next(iter(seen))]


settings = {
    "bootstrap.servers": os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092"),
    "group.id": os.environ.get("GROUP_ID", "subscriber"),
    # A group that has committed nothing begins with the first event of all.
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
        # Only now: what was committed before it is kept would be lost in a crash.
        if any(not message.error() for message in messages):
            consumer.commit(asynchronous=False)
finally:
    consumer.close()
