import { expect } from 'chai';
import fc from 'fast-check';

import type { RecordContext } from '../../../../shared/domain/core/fact.js';
import { accountRecords } from '../../../../shared/log/records/accounts.js';
import { deliveryRecords } from '../../../../shared/log/records/deliveries.js';
import type { Decoded, OutgoingRecord, RawRecord } from '../../../../shared/log/encoding/record.js';
import { replayRecords } from '../../../../shared/log/records/replays.js';
import { webhookRecords } from '../../../../shared/log/records/webhooks.js';
import { withoutNames } from '../../../../shared/log/encoding/factCodec.js';
import {
  accountCreated,
  accountDeleted,
  accountResumed,
  accountSuspended,
  apiKeyCreated,
  apiKeyDeleted,
  planChanged,
} from '../../../support/accountFacts.js';
import {
  anyAccountFact,
  anyContext,
  anyDeliveryFact,
  anyEventMatched,
  anyReplayFact,
  anyWebhookFact,
} from '../../../support/arbitraries.js';
import {
  canceled,
  deferred,
  failed,
  matched,
  requested,
  retryParked,
} from '../../../support/deliveryFacts.js';
import { contextOf, secondsLater, testIdentifier } from '../../../support/facts.js';
import { rawRecord } from '../../../support/records.js';
import {
  replayCanceled,
  replayCompleted,
  replayProgressed,
  replayRequested,
} from '../../../support/replayFacts.js';
import {
  sealed,
  secretRotated,
  secretsReencrypted,
  webhookCreated,
  webhookDeleted,
  webhookDisabled,
  webhookEnabled,
  webhookUpdated,
} from '../../../support/webhookFacts.js';
import { itHolds } from '../../../support/itHolds.js';

interface AnyFact {
  readonly type: string;
  readonly value: object;
}

interface TestedCodec {
  readonly name: string;
  readonly decode: (record: RawRecord) => Decoded<AnyFact>;
  /** A record of each type of the topic. */
  readonly records: readonly OutgoingRecord[];
  /** Any fact with its context, and the record of it. */
  readonly anyWritten: fc.Arbitrary<{ fact: AnyFact & { context: RecordContext }; record: OutgoingRecord }>;
}

const change = { from: 'https://example.com/a', to: 'https://example.com/b' };

const codecs: readonly TestedCodec[] = [
  {
    name: 'webhooks',
    decode: webhookRecords.decode,
    records: [
      webhookCreated(),
      webhookUpdated({ url: change }),
      secretRotated(sealed('second'), secondsLater(60)),
      secretsReencrypted('first'),
      webhookDisabled('gone', 0),
      webhookEnabled(),
      webhookDeleted(),
    ].map((fact) => webhookRecords.encode(fact, fact.context)),
    anyWritten: fc.tuple(anyWebhookFact, anyContext).map(([fact, context]) => ({
      fact: { ...fact, context },
      record: webhookRecords.encode(fact, context),
    })),
  },
  {
    name: 'deliveries',
    decode: deliveryRecords.decode,
    records: [
      ...[matched({ [testIdentifier('wh')]: 'busy' }), requested(1), failed(), canceled()],
      ...[deferred(secondsLater(60)), retryParked(2)],
    ].map((fact) => deliveryRecords.encode(fact, fact.context, 0)),
    anyWritten: fc.tuple(fc.oneof(anyDeliveryFact, anyEventMatched), anyContext).map(([fact, context]) => ({
      fact: { ...fact, context },
      record: deliveryRecords.encode(fact, context, 0),
    })),
  },
  {
    name: 'accounts',
    decode: accountRecords.decode,
    records: [
      accountCreated(),
      planChanged({ from: 'free', to: 'pro' }, { from: 10, to: 100 }),
      accountSuspended(),
      accountResumed(),
      accountDeleted(),
      apiKeyCreated(testIdentifier('key')),
      apiKeyDeleted(testIdentifier('key')),
    ].map((fact) => accountRecords.encode(fact, fact.context)),
    anyWritten: fc.tuple(anyAccountFact, anyContext).map(([fact, context]) => ({
      fact: { ...fact, context },
      record: accountRecords.encode(fact, context),
    })),
  },
  {
    name: 'replays',
    decode: replayRecords.decode,
    records: [replayRequested(), replayProgressed(7, 1), replayCompleted(7), replayCanceled()].map((fact) =>
      replayRecords.encode(fact, fact.context),
    ),
    anyWritten: fc.tuple(anyReplayFact, anyContext).map(([fact, context]) => ({
      fact: { ...fact, context },
      record: replayRecords.encode(fact, context),
    })),
  },
];

function valueOf({ value }: OutgoingRecord): Record<string, unknown> {
  return JSON.parse(value.toString()) as Record<string, unknown>;
}

function withValue(record: OutgoingRecord, value: unknown): OutgoingRecord {
  return { ...record, value: Buffer.from(JSON.stringify(value)) };
}

function without(value: Record<string, unknown>, field: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));
}

for (const { name, decode, records, anyWritten } of codecs) {
  describe(`the records of ${name}`, () => {
    itHolds(
      'are decoded to the fact that was encoded, whatever the fact',
      [anyWritten],
      ({ fact, record }) => {
        const expected = name === 'accounts' ? fact : { ...fact, value: withoutNames(fact.value) };

        expect(decode(rawRecord(record))).to.deep.equal({ readable: true, content: expected });
      },
      { numRuns: 100 },
    );

    itHolds('have the id of their subject as the key', [anyWritten], ({ fact, record }) => {
      expect([record.topic, record.key]).to.deep.equal([name, fact.context.key]);
    });

    it('are readable, or unreadable with a reason, whatever they contain', () => {
      const anyType = fc.constantFrom(...records.map(({ headers }) => headers['ce_type'] ?? ''));
      const anyValue = fc.oneof(fc.json(), fc.string()).map((text) => Buffer.from(text));
      fc.assert(
        fc.property(anyWritten, anyType, anyValue, ({ record }, type, value) => {
          const raw = rawRecord(record);
          const decoded = decode({ ...raw, value, headers: { ...raw.headers, ce_type: type } });

          expect(decoded.readable ? 'readable' : decoded.reason).to.not.equal('');
        }),
      );
    });

    it('are readable with fields that a later version adds', () => {
      for (const record of records) {
        const later = withValue(record, { ...valueOf(record), addedLater: { by: 'a newer process' } });

        expect(decode(rawRecord(later))).to.deep.equal(decode(rawRecord(record)));
      }
    });

    it('are unreadable if a field is missing or has another type, and the reason names it', () => {
      for (const record of records) {
        const type = record.headers['ce_type'] ?? '';
        const value = valueOf(record);
        // The name of a webhook has a default for records of earlier versions.
        for (const field of Object.keys(value).filter(
          (one) => !(type === 'postrider.webhook.created' && one === 'name'),
        )) {
          const missing = decode(rawRecord(withValue(record, without(value, field))));
          const other = decode(rawRecord(withValue(record, { ...value, [field]: [{}] })));

          expect(missing.readable ? type : missing.reason).to.match(new RegExp(`^${field}: `));
          expect(other.readable ? type : other.reason).to.match(new RegExp(`^${field}[.\\w]*: `));
        }
      }
    });
  });
}

describe('a record of a fact is unreadable', () => {
  const fact = webhookEnabled();
  const record = webhookRecords.encode(fact, fact.context);

  function reasonFor(changes: Partial<RawRecord>): string {
    const decoded = webhookRecords.decode({ ...rawRecord(record), ...changes });
    return decoded.readable ? 'none' : decoded.reason;
  }

  it('if the topic does not have its type', () => {
    const headers = { ...record.headers, ce_type: 'postrider.webhook.painted' };

    expect(reasonFor({ headers })).to.equal('the topic has no record type postrider.webhook.painted');
  });

  it('if its type belongs to another topic', () => {
    const headers = { ...record.headers, ce_type: 'postrider.delivery.deferred' };

    expect(reasonFor({ headers })).to.equal('the topic has no record type postrider.delivery.deferred');
  });

  for (const type of ['constructor', '__proto__', 'toString']) {
    it(`if its type is ${type}, a property of every object`, () => {
      expect(reasonFor({ headers: { ...record.headers, ce_type: type } })).to.equal(
        `the topic has no record type ${type}`,
      );
    });
  }

  for (const value of ['', '{', '{"actor":', '\ufeff{}', 'undefined']) {
    it(`if its value is ${JSON.stringify(value)}, which is not JSON`, () => {
      expect(reasonFor({ value: Buffer.from(value) })).to.equal('the value of the record is not JSON');
    });
  }

  it('if it has no value', () => {
    expect(reasonFor({ value: null })).to.equal('the value of the record is not JSON');
  });

  for (const value of ['null', '[]', '"text"', '1']) {
    it(`if its value is ${value}, which is no object`, () => {
      expect(reasonFor({ value: Buffer.from(value) })).to.match(/expected object/);
    });
  }

  it('if it has no key', () => {
    expect(reasonFor({ key: null })).to.equal('the record has no key');
  });

  it('if it has no headers', () => {
    expect(reasonFor({ headers: {} })).to.equal('the header ce_specversion is not 1.0');
  });

  it('with a reason that names the invalid field of its value', () => {
    const wrong = { ...valueOf(record), actor: { type: 'robot', id: null, name: null } };

    expect(reasonFor({ value: Buffer.from(JSON.stringify(wrong)) })).to.match(/^actor\.type: /);
  });

  it('if a time in its value has no offset', () => {
    const rotated = secretRotated(sealed('second'), secondsLater(60));
    const encoded = webhookRecords.encode(rotated, contextOf('wh_1'));
    const local = { ...valueOf(encoded), previousExpiresAt: '2026-11-20T11:02:03' };

    expect(webhookRecords.decode(rawRecord(withValue(encoded, local)))).to.include({ readable: false });
  });
});
