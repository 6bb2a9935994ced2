import { expect } from 'chai';
import { HTTP } from 'cloudevents';

import type { PostedAttributes } from '../../../../shared/domain/events/event.js';
import { readJsonObject } from '../../../../shared/domain/events/jsonText.js';
import { webhookFormats } from '../../../../shared/domain/webhooks/options.js';
import { contentTypeOf, payloadOf, requestBody } from '../../../../shared/domain/webhooks/requestBody.js';
import { anyEvent } from '../../../support/arbitraries.js';
import { testIdentifier } from '../../../support/facts.js';
import { itHolds } from '../../../support/itHolds.js';

const data = '{ "amount": 1.10, "n": 9007199254740993, "a":1, "a":2, "é":"\\u00e9" }';

describe('the payload of an event', () => {
  it('contains id, type, timestamp and data, in this order', () => {
    const payload = payloadOf({
      id: testIdentifier('evt'),
      type: 'order.completed',
      created: new Date('2026-11-20T11:02:03.456Z'),
      data: Buffer.from(data),
      tenantId: null,
    });

    expect(payload.toString()).to.equal(
      `{"id":"${testIdentifier('evt')}","type":"order.completed","timestamp":"2026-11-20T11:02:03.456Z","data":${data}}`,
    );
  });

  it('contains the tenant of the event before the data', () => {
    const payload = payloadOf({
      ...{ id: testIdentifier('evt'), type: 'a', created: new Date('2026-11-20T11:02:03.456Z') },
      ...{ data: Buffer.from('{}'), tenantId: 'customer-42' },
    });

    expect(payload.toString()).to.equal(
      `{"id":"${testIdentifier('evt')}","type":"a","timestamp":"2026-11-20T11:02:03.456Z","tenantId":"customer-42","data":{}}`,
    );
  });

  itHolds('contains the data of any event byte for byte', [anyEvent], (event) => {
    const payload = payloadOf(event);
    const reading = readJsonObject(payload, 1001);
    const span = reading.valid ? reading.text.members.get('data') : undefined;

    expect(payload.subarray(span?.start, span?.end)).to.deep.equal(event.data);
  });

  itHolds('is a JSON object with the fields of any event', [anyEvent], (event) => {
    expect(JSON.parse(payloadOf(event).toString())).to.deep.equal({
      id: event.id,
      type: event.type,
      timestamp: event.created.toISOString(),
      ...(event.tenantId !== null && { tenantId: event.tenantId }),
      data: JSON.parse(event.data.toString()) as unknown,
    });
  });
});

const event = {
  ...{ id: testIdentifier('evt'), type: 'order.completed', created: new Date('2026-11-20T11:02:03.456Z') },
  ...{ data: Buffer.from(data), tenantId: null },
};
const accountId = testIdentifier('acct');

describe('the body of a request in a format', () => {
  const bodyOf = (
    format: (typeof webhookFormats)[number] | null,
    more: { readonly tenantId?: string; readonly attributes?: PostedAttributes } = {},
  ) => requestBody({ ...event, ...more }, { accountId, options: { format } }).toString();
  const cloudEvent = (more: object = {}, attributes: PostedAttributes = {}) => {
    const { data: _data, ...given } = JSON.parse(bodyOf('cloudevents', { ...more, attributes })) as Record<
      string,
      unknown
    >;
    return given;
  };
  const own = {
    ...{ specversion: '1.0', id: event.id, source: `/accounts/${accountId}`, type: event.type },
    ...{ time: '2026-11-20T11:02:03.456Z', datacontenttype: 'application/json' },
  };

  it('is the payload without a format, with the standard one, and with one of a later version', () => {
    const later = 'xml' as 'thin';
    const bodies = [null, 'standard' as const, later].map((format) => bodyOf(format));
    expect([...bodies, requestBody(event, { accountId, options: null }).toString()]).to.deep.equal(
      Array.from({ length: 4 }, () => payloadOf(event).toString()),
    );
  });

  it('is the payload without its data, if it is thin', () => {
    expect(bodyOf('thin', { tenantId: 'customer-42' })).to.equal(
      `{"id":"${event.id}","type":"order.completed","timestamp":"2026-11-20T11:02:03.456Z","tenantId":"customer-42"}`,
    );
  });

  it('is a CloudEvent with the attributes of the record', () => {
    expect(cloudEvent()).to.deep.equal(own);
    expect(cloudEvent({ tenantId: 'customer-42' })).to.deep.equal({ ...own, tenantid: 'customer-42' });
  });

  it('is a CloudEvent with the attributes that were posted', () => {
    const posted = {
      ...{
        id: 'a',
        source: '/shop',
        time: '2026-11-20T10:00:00+01:00',
        subject: 'order "1"',
        dataschema: 'urn:a',
      },
      ...{ datacontenttype: 'application/vnd.shop+json', traceparent: '00-ab-cd-01', 1: 'é' },
    };
    expect(cloudEvent({}, posted)).to.deep.equal({ ...own, ...posted });
  });

  it('is a CloudEvent that the SDK reads', () => {
    const attributes = { id: 'a', source: '/shop', subject: 'order "1"', traceparent: '00-ab-cd-01' };
    const headers = { 'content-type': contentTypeOf('cloudevents') };
    for (const more of [{}, { tenantId: 'customer-42' }, { attributes }]) {
      const read = HTTP.toEvent({ headers, body: bodyOf('cloudevents', more) });
      expect(read).to.deep.include({
        ...more.attributes,
        type: event.type,
        data: JSON.parse(data) as unknown,
      });
    }
  });

  it('has neither a second type, tenant and data, nor an unknown version', () => {
    const foreign = { type: 'b', tenantid: 'other', data: '1', specversion: '0.3' };
    expect(cloudEvent({}, foreign)).to.deep.equal(own);
    expect(bodyOf('cloudevents', { attributes: foreign }).match(/"data":/g)).to.have.lengthOf(1);
  });

  itHolds('contains the data of any CloudEvent byte for byte', [anyEvent], (any) => {
    const body = requestBody(any, { accountId, options: { format: 'cloudevents' } });
    const reading = readJsonObject(body, 1001);
    const span = reading.valid ? reading.text.members.get('data') : undefined;
    expect(body.subarray(span?.start, span?.end)).to.deep.equal(any.data);
  });

  it('has the media type of CloudEvents only if it is one', () => {
    expect(webhookFormats.map(contentTypeOf)).to.deep.equal([
      undefined,
      'application/cloudevents+json; charset=utf-8',
      undefined,
    ]);
  });
});
