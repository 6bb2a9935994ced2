import { expect } from 'chai';

import { attemptsProjection } from '../../../projections/models/attempts.js';
import type { DeliveryFact } from '../../../shared/domain/deliveries/deliveryFacts.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { fromBinary } from '../../../shared/store/client/binary.js';
import {
  canceled,
  deferred,
  failed,
  requested,
  succeeded,
  testEventId,
} from '../../support/deliveryFacts.js';
import { secondsLater, start, testIdentifier, type InContext } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { foldAll, without } from '../foldedLog.js';

function recordOf(fact: InContext<DeliveryFact>, offset: number) {
  return rawRecord(deliveryRecords.encode(fact, fact.context, 2), { partition: 2, offset });
}

function attemptsAfter(...facts: readonly InContext<DeliveryFact>[]) {
  return [...foldAll(attemptsProjection, [facts.map(recordOf)]).values()];
}

describe('attemptsProjection', () => {
  it('creates a document of an attempt', () => {
    const error = { code: 'http_status', message: 'The receiver answered 500' } as const;
    const [document] = attemptsAfter(
      failed({ cycle: 1, number: 3, trigger: 'replay', epoch: 2, webhookVersion: 4, error }),
    );

    expect(document && without(document, ['responseBody', 'positions'])).to.deep.equal({
      _id: testIdentifier('att', 103),
      accountId: testIdentifier('acct'),
      mode: 'live',
      eventId: testEventId,
      webhookId: testIdentifier('wh'),
      versionKey: `${testIdentifier('wh')}/4`,
      cycle: 1,
      number: 3,
      trigger: 'replay',
      status: 'failed',
      statusCode: 500,
      error,
      durationMs: 250,
      url: null,
      requestHeaders: null,
      responseHeaders: [],
      eventType: null,
      created: secondsLater(1),
      recorded: start,
    });
  });

  it('contains the request, with headers whose names MongoDB would interpret', () => {
    const requestHeaders = { host: 'example.com' };
    const responseHeaders = { 'x.trace$id': '1' };
    const url = 'https://example.com/hook';
    const [document] = attemptsAfter(
      succeeded({ url, requestHeaders, responseHeaders, eventType: 'order.completed' }),
    );

    expect(document).to.deep.include({
      url,
      requestHeaders: [['host', 'example.com']],
      responseHeaders: Object.entries(responseHeaders),
      eventType: 'order.completed',
    });
  });

  it('contains a note of a truncated body and of a repeated request only if the record has one', () => {
    const note = { responseTruncated: true, requests: 2 };

    expect(attemptsAfter(succeeded(note))[0]).to.include(note);
    expect(attemptsAfter(succeeded())[0]).to.not.have.any.keys(...Object.keys(note));
  });

  it('contains no response headers without a response', () => {
    const error = { code: 'timeout', message: 'No response within 15 s' } as const;
    const [document] = attemptsAfter(failed({ statusCode: null, error, responseHeaders: {} }));

    expect(document?.responseHeaders).to.equal(null);
  });

  it('converts a document of version 1, which has neither fields of the request nor the time of its record', () => {
    const documents = attemptsAfter(succeeded());
    const added = { url: null, requestHeaders: null, responseHeaders: null, eventType: null };
    const recorded = new Date(secondsLater(1).getTime() + 250);
    const earlier = documents.map((document) =>
      without(document, ['url', 'requestHeaders', 'responseHeaders', 'eventType', 'recorded']),
    );
    const converted = earlier.flatMap((document) => attemptsProjection.conversions?.[1]?.(document, {}));

    expect(converted).to.deep.equal(earlier.map((document) => ({ ...document, ...added, recorded })));
  });

  it('counts a record without a version for version 0, as a conversion of earlier documents does', () => {
    const documents = attemptsAfter(succeeded());
    const earlier = documents.map((document) => without(document, ['versionKey']));

    expect(documents[0]?.versionKey).to.equal(`${testIdentifier('wh')}/0`);
    expect(earlier.flatMap((document) => attemptsProjection.conversions?.[3]?.(document, {}))).to.deep.equal(
      documents,
    );
  });

  it('keeps the response byte for byte', () => {
    const bytes = Buffer.from([0xff, 0x00, 0x80]);
    const [document] = attemptsAfter(succeeded({ responseBody: bytes.toString('base64') }));

    expect(document && fromBinary(document.responseBody)).to.deep.equal(bytes);
  });

  it('ignores facts that are not attempts', () => {
    expect(attemptsAfter(requested(1), deferred(secondsLater(1)), canceled())).to.deep.equal([]);
  });

  it('keeps the attempt of its first record', () => {
    const [document] = attemptsAfter(succeeded({ statusCode: 200 }), succeeded({ statusCode: 204 }));

    expect(document?.statusCode).to.equal(200);
  });
});
