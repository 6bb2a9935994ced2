import { expect } from 'chai';
import { CloudEvent, Kafka } from 'cloudevents';
import fc from 'fast-check';

import {
  decodeHeaders,
  encodeHeaders,
  type CloudEventHeaders,
} from '../../../../shared/log/encoding/cloudEvent.js';
import { encodeEvent } from '../../../../shared/log/records/events.js';
import type { OutgoingRecord, RawRecord } from '../../../../shared/log/encoding/record.js';
import { webhookRecords } from '../../../../shared/log/records/webhooks.js';
import { withoutNames } from '../../../../shared/log/encoding/factCodec.js';
import { anyContext, anyEvent, anyIdentifier } from '../../../support/arbitraries.js';
import { contextOf, start, testIdentifier, testRecordId } from '../../../support/facts.js';
import { rawRecord } from '../../../support/records.js';
import { testWebhookId, webhookEnabled } from '../../../support/webhookFacts.js';
import { itHolds } from '../../../support/itHolds.js';

const headers: CloudEventHeaders = {
  ...contextOf(testWebhookId),
  type: 'postrider.webhook.enabled',
  webhookId: null,
};

function recordWith(changes: Record<string, string | undefined>): RawRecord {
  const record = rawRecord({
    topic: 'webhooks',
    key: headers.key,
    value: Buffer.from('{}'),
    headers: encodeHeaders(headers),
  });
  return { ...record, headers: { ...record.headers, ...changes } };
}

const anyHeaders: fc.Arbitrary<CloudEventHeaders> = fc
  .tuple(
    anyContext,
    fc.constantFrom('order.completed', 'postrider.webhook.created'),
    fc.option(anyIdentifier('wh')),
  )
  .map(([context, type, webhookId]) => ({ ...context, type, webhookId }));

describe('encodeHeaders', () => {
  it('writes CloudEvents 1.0 in binary mode, with the extensions mode and partitionkey', () => {
    expect(encodeHeaders(headers)).to.deep.equal({
      ce_specversion: '1.0',
      ce_id: testRecordId(1),
      ce_source: `/accounts/${testIdentifier('acct')}`,
      ce_type: 'postrider.webhook.enabled',
      ce_time: start.toISOString(),
      'content-type': 'application/json',
      ce_mode: 'live',
      ce_partitionkey: testWebhookId,
    });
  });

  it('writes no mode if the record has none', () => {
    expect(encodeHeaders({ ...headers, mode: null })).to.not.have.property('ce_mode');
  });

  it('writes the webhook of a test delivery', () => {
    expect(encodeHeaders({ ...headers, webhookId: testWebhookId })).to.include({
      ce_webhookid: testWebhookId,
    });
  });

  it('writes the tenant, the tenancy and the offset of the event', () => {
    const tenant = { tenantId: 'customer-1', tenancy: '*', eventOffset: 0 };
    expect(encodeHeaders({ ...headers, ...tenant })).to.include({
      ce_tenantid: 'customer-1',
      ce_tenancy: '*',
      ce_eventoffset: '0',
    });
  });

  itHolds('writes headers that are decoded to the same content', [anyHeaders], (written) => {
    const record = rawRecord({
      topic: 'events',
      key: written.key,
      value: Buffer.from('{}'),
      headers: encodeHeaders(written),
    });

    expect(decodeHeaders(record)).to.deep.equal({ readable: true, content: written });
  });
});

describe('decodeHeaders', () => {
  it('reads headers that are strings', () => {
    const record = { ...recordWith({}), headers: encodeHeaders(headers) };

    expect(decodeHeaders(record)).to.deep.equal({ readable: true, content: headers });
  });

  it('accepts the content type JSON with parameters, in any case of letters', () => {
    for (const mediaType of ['application/json; charset=utf-8', 'Application/JSON', ' application/json ']) {
      expect(decodeHeaders(recordWith({ 'content-type': mediaType })).readable, mediaType).to.equal(true);
    }
  });

  const times: Record<string, string> = {
    '2026-11-20T11:02:03Z': '2026-11-20T11:02:03.000Z',
    '2026-11-20T11:02:03.123456789Z': '2026-11-20T11:02:03.123Z',
    '2026-11-20T11:02:03.5+01:30': '2026-11-20T09:32:03.500Z',
    '2026-11-20T11:02:03-00:00': '2026-11-20T11:02:03.000Z',
  };
  it('reads times of RFC 3339', () => {
    for (const [time, at] of Object.entries(times)) {
      const decoded = decodeHeaders(recordWith({ ce_time: time }));

      expect(decoded.readable && decoded.content.at.toISOString(), time).to.equal(at);
    }
  });

  const rejected: readonly (readonly [changes: Record<string, string | undefined>, reason: string])[] = [
    [{ ce_specversion: undefined }, 'the header ce_specversion is not 1.0'],
    [{ ce_specversion: '0.3' }, 'the header ce_specversion is not 1.0'],
    [{ ce_id: undefined }, 'ce_id is missing'],
    [{ ce_id: '' }, 'ce_id is missing'],
    [{ ce_type: undefined }, 'ce_type is missing'],
    [{ ce_source: undefined }, 'ce_source is not /accounts/acct_…'],
    [{ ce_source: 'https://example.com/' }, 'ce_source is not /accounts/acct_…'],
    [{ 'content-type': undefined }, 'the header content-type is not application/json'],
    [{ 'content-type': 'application/jsonp' }, 'the header content-type is not application/json'],
    [{ 'content-type': 'application/cloudevents+json' }, 'the header content-type is not application/json'],
    [{ ce_eventoffset: '1e3' }, 'ce_eventoffset is not an offset'],
    [{ ce_mode: 'Live' }, 'ce_mode is neither live nor test'],
  ];
  it('rejects a missing or wrong header with the reason', () => {
    for (const [changes, reason] of rejected) {
      expect(decodeHeaders(recordWith(changes))).to.deep.equal({ readable: false, reason });
    }
  });

  const noTimes = {
    'no time': undefined,
    'a word': 'now',
    'a day without a time': '2026-11-20',
    'a time without a time zone': '2026-11-20T11:02:03',
    'a date that only JavaScript reads': 'Nov 20 2026 11:02:03 GMT',
    'a day that does not exist': '2026-02-30T11:02:03Z',
    'an hour that does not exist': '2026-11-20T24:00:00Z',
    'milliseconds since 1970': '1795172523000',
  };
  it('rejects other times', () => {
    for (const [what, time] of Object.entries(noTimes)) {
      expect(decodeHeaders(recordWith({ ce_time: time })), what).to.deep.equal({
        readable: false,
        reason: 'ce_time is not a time (RFC 3339)',
      });
    }
  });

  it('rejects a record without a key', () => {
    expect(decodeHeaders({ ...recordWith({}), key: null })).to.deep.equal({
      readable: false,
      reason: 'the record has no key',
    });
  });

  it('rejects a repeated header', () => {
    const record = recordWith({});
    const twice = { ...record.headers, ce_id: [Buffer.from('one'), Buffer.from('two')] };

    expect(decodeHeaders({ ...record, headers: twice })).to.deep.equal({
      readable: false,
      reason: 'the header ce_id is repeated',
    });
  });
});

/** The record as the CloudEvents SDK reads it. */
function readBySdk({ key, value, headers }: OutgoingRecord): CloudEvent<unknown> {
  const message = { key, value, headers: { ...headers }, body: value };
  const event = Kafka.toEvent<unknown>(message);
  if (!(event instanceof CloudEvent)) {
    throw new Error('the SDK found no single event');
  }
  return event;
}

describe('a record that the CloudEvents SDK reads', () => {
  itHolds('has the content of the event, whatever the event', [anyEvent], (event) => {
    const read = readBySdk(encodeEvent(event));

    expect(JSON.parse(read.toString())).to.deep.equal({
      specversion: '1.0',
      id: event.id,
      source: `/accounts/${event.accountId}`,
      type: event.type,
      time: event.created.toISOString(),
      datacontenttype: 'application/json',
      data: JSON.parse(event.data.toString()) as unknown,
      mode: event.mode,
      partitionkey: event.id,
      ...(event.onlyWebhookId === null ? {} : { webhookid: event.onlyWebhookId }),
      ...(event.tenantId === null ? {} : { tenantid: event.tenantId }),
      ...Object.fromEntries(
        Object.entries(event.attributes ?? {}).map(([name, value]) => [`posted${name}`, value]),
      ),
    });
  });

  itHolds('conforms to the specification', [anyEvent], (event) => {
    expect(readBySdk(encodeEvent(event)).validate()).to.equal(true);
  });

  it('has the content of a fact about a webhook', () => {
    const fact = webhookEnabled();
    const read = readBySdk(webhookRecords.encode(fact, fact.context));

    expect([read.type, read.data]).to.deep.equal(['postrider.webhook.enabled', withoutNames(fact.value)]);
  });
});
