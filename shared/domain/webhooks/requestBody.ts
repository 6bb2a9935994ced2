import type { AcceptedEvent } from '../events/event.js';
import type { WebhookFormat, WebhookOptions } from './options.js';

/** The part of an event that webhooks receive. */
export type DeliveredEvent = Pick<
  AcceptedEvent,
  'id' | 'type' | 'created' | 'data' | 'tenantId' | 'attributes'
>;

/** A webhook, or its document. Documents of earlier versions have no options, or not all of them. */
interface Receiver {
  readonly accountId: string;
  readonly options?: Partial<WebhookOptions> | null;
}

/** The body of each request that delivers an event to a webhook, in the format of the webhook. */
export function requestBody(event: DeliveredEvent, { accountId, options }: Receiver): Buffer {
  switch (options?.format) {
    case 'cloudevents':
      return cloudEventOf(event, accountId);
    case 'thin':
      return Buffer.from(`${headOf(event)}}`);
    default:
      return payloadOf(event);
  }
}

/** The media type of a body; undefined for the usual `application/json`. */
export function contentTypeOf(format: WebhookFormat | null | undefined): string | undefined {
  return format === 'cloudevents' ? 'application/cloudevents+json; charset=utf-8' : undefined;
}

/**
 * The standard body. It contains the event's `data` byte for byte as the client sent it, and `tenantId` only if the
 * event has a tenant.
 */
export function payloadOf(event: DeliveredEvent): Buffer {
  return Buffer.concat([Buffer.from(`${headOf(event)},"data":`), event.data, Buffer.from('}')]);
}

/** The members of a body before `data`. A tenant id has no character that JSON escapes. */
function headOf({ id, type, created, tenantId }: DeliveredEvent): string {
  const tenant = tenantId === null ? '' : `,"tenantId":"${tenantId}"`;
  return `{"id":"${id}","type":"${type}","timestamp":"${created.toISOString()}"${tenant}`;
}

/**
 * A CloudEvent in the JSON format
 * (https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md), with the `data` byte for byte. An
 * event that was posted as a CloudEvent has its posted attributes. Those that it lacks are the attributes that the
 * event's record has. Attributes of other producers replace neither the type nor the tenant.
 */
function cloudEventOf(
  { id, type, created, data, tenantId, attributes }: DeliveredEvent,
  accountId: string,
): Buffer {
  const { specversion: _version, type: _type, tenantid: _tenant, data: _data, ...posted } = attributes ?? {};
  const head = JSON.stringify({
    specversion: '1.0',
    id,
    source: `/accounts/${accountId}`,
    type,
    time: created.toISOString(),
    datacontenttype: 'application/json',
    ...posted,
    ...(tenantId !== null && { tenantid: tenantId }),
  });
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"data":`), data, Buffer.from('}')]);
}
