import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/**
 * Why the API ends a connection: the limit of connections is reached, the client does not read, or it pipelines too
 * many requests.
 */
const dropReasons = ['limit', 'stalled', 'pipelining'] as const;

export type DropReason = (typeof dropReasons)[number];

/** @param seconds the upper bounds of histogram buckets, in seconds */
export function requestMetrics(registers: Registry[], seconds: number[]) {
  const connectionsDropped = new Counter({
    name: 'postrider_http_connections_dropped_total',
    help: 'Client connections that the API has closed, by reason.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of dropReasons) {
    connectionsDropped.inc({ reason }, 0);
  }
  return {
    connectionsDropped,
    unsentBytes: new Gauge({
      name: 'postrider_http_unsent_bytes',
      help: 'Bytes of responses over 16 KiB, and of event streams, that clients have not read yet.',
      registers,
    }),
    httpRequestSeconds: new Histogram({
      name: 'postrider_http_request_duration_seconds',
      help: 'Time from the arrival of an API request to its response.',
      labelNames: ['route', 'method', 'status'],
      buckets: seconds,
      registers,
    }),
    eventsAccepted: new Counter({
      name: 'postrider_events_accepted_total',
      help: 'Posted events that Kafka has acknowledged.',
      labelNames: ['mode'],
      registers,
    }),
    eventAppendSeconds: new Histogram({
      name: 'postrider_event_append_seconds',
      help: 'Time from the receipt of a complete, valid event to its acknowledgement by Kafka.',
      buckets: seconds,
      registers,
    }),
  };
}

/** @param seconds the upper bounds of histogram buckets, in seconds */
export function eventTypeMetrics(registers: Registry[], seconds: number[]) {
  return {
    eventValidations: new Counter({
      name: 'postrider_event_validations_total',
      help: 'Posted events that the API has checked with the schema of their type, by result.',
      labelNames: ['result'],
      registers,
    }),
    eventValidationSeconds: new Histogram({
      name: 'postrider_event_validation_seconds',
      help: 'Time of a check of events with a schema, by the thread of the check.',
      labelNames: ['thread'],
      buckets: [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, ...seconds.slice(0, 10)],
      registers,
    }),
    schemaCompilations: new Counter({
      name: 'postrider_schema_compilations_total',
      help: 'Compilations of schemas in a worker thread, by result.',
      labelNames: ['result'],
      registers,
    }),
    eventTypesFailed: new Gauge({
      name: 'postrider_event_types_failed',
      help: 'Event types whose schema this process could not compile. Their events are not checked.',
      registers,
    }),
  };
}
