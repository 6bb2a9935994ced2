// Appends every event to a file, once, as JSON lines, however often it is killed and started again:
//
//   npm install && KAFKA_BROKERS=127.0.0.1:9092 npm start events.jsonl
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';

import { type CloudEvent, Kafka as Binding } from 'cloudevents';
import { Kafka, logLevel, type KafkaMessage } from 'kafkajs';

const [file = 'events.jsonl'] = process.argv.slice(2);
const {
  KAFKA_BROKERS = '127.0.0.1:9092',
  TOPIC = 'postrider.events',
  GROUP_ID = 'subscriber',
  KAFKA_USERNAME: username,
  KAFKA_PASSWORD: password = '',
} = process.env;
/** The number of remembered ids. A duplicate follows soon after the first record. */
const remembered = 100_000;

const seen = readSeen();
const kafka = new Kafka({
  brokers: KAFKA_BROKERS.split(','),
  logLevel: logLevel.ERROR,
  ...(username === undefined ? {} : { sasl: { mechanism: 'plain', username, password } }),
});
const consumer = kafka.consumer({ groupId: GROUP_ID, sessionTimeout: 6000, maxWaitTimeInMs: 500 });

await consumer.connect();
// A group without committed offsets begins with the first event.
await consumer.subscribe({ topic: TOPIC, fromBeginning: true });
await consumer.run({
  autoCommit: false,
  eachBatch: async (payload) => {
    const { batch } = payload;
    for (const message of batch.messages) {
      const event = toCloudEvent(message);
      if (event === null) {
        console.error(`partition ${batch.partition}, offset ${message.offset}: no event`);
      } else {
        keep(event);
      }
      payload.resolveOffset(message.offset);
      await payload.heartbeat();
    }
    // Offsets are committed last: a crash would lose an event whose offset is committed before its line is written.
    await payload.commitOffsetsIfNecessary(payload.uncommittedOffsets());
  },
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void consumer.disconnect());
}

/**
 * The event of a record, for the SDK with headers and value as text. Null if the record is not an event: any producer may append to
 * the topic, and records that the service rejects stay there.
 */
function toCloudEvent({ key, value, headers = {} }: KafkaMessage): CloudEvent<unknown> | null {
  const text = Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, String(header)]));
  const message = { headers: text, key: String(key), value: String(value), body: String(value) };
  try {
    const [event = null] = [Binding.toEvent<unknown>(message)].flat();
    return event as CloudEvent<unknown> | null;
  } catch {
    return null;
  }
}

/** Writes the line of an event, with its id. Both are in one write, so that a crash leaves both or neither. */
function keep(event: CloudEvent<unknown>): void {
  if (seen.has(event.id)) {
    return;
  }
  appendFileSync(file, `${event.toString()}\n`);
  remember(event.id);
}

function remember(id: string): void {
  seen.add(id);
  const [oldest = ''] = seen;
  if (seen.size > remembered) {
    seen.delete(oldest);
  }
}

/** The ids that an earlier run has written. An incomplete line is removed, and its event is read again. */
function readSeen(): Set<string> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) {
    truncateSync(file, Buffer.byteLength(whole));
  }
  const ids = whole
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { id: string }).id);
  return new Set(ids.slice(-remembered));
}
