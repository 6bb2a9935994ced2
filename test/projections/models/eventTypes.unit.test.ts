import { expect } from 'chai';

import { eventTypesProjection } from '../../../projections/models/eventTypes.js';
import type { EventTypeFact, EventTypeSettings } from '../../../shared/domain/eventTypes/eventType.js';
import { eventTypeRecords } from '../../../shared/log/records/eventTypes.js';
import { toBinary } from '../../../shared/store/client/binary.js';
import {
  eventTypeCreated,
  eventTypeDeleted,
  eventTypeUpdated,
  testSchema,
  testTypeName,
} from '../../support/eventTypeFacts.js';
import { secondsLater, start, testIdentifier, testRecordId, type InContext } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { foldedDocument } from '../foldedLog.js';

function recordOf(fact: InContext<EventTypeFact>, offset: number, id = testRecordId(offset)) {
  const outgoing = eventTypeRecords.encode(fact, { ...fact.context, id, at: secondsLater(offset) });
  return rawRecord(outgoing, { partition: 1, offset });
}

function documentAfter(...facts: readonly InContext<EventTypeFact>[]) {
  return foldedDocument(
    eventTypesProjection,
    facts.map((fact, offset) => recordOf(fact, offset)),
  );
}

const identity = {
  _id: `${testIdentifier('acct')}/live/${testTypeName}`,
  accountId: testIdentifier('acct'),
  mode: 'live',
  name: testTypeName,
};

describe('eventTypesProjection', () => {
  it('stores the schema and the examples byte for byte', () => {
    expect(documentAfter(eventTypeCreated())).to.deep.equal({
      ...identity,
      description: 'A paid order',
      schema: toBinary(Buffer.from(testSchema)),
      examples: toBinary(Buffer.from('[{"amount": 1.50}]')),
      validation: 'warn',
      deprecated: false,
      status: 'active',
      created: start,
      updated: start,
      revision: testRecordId(0),
      bytes: 69,
      checked: true,
      partition: 1,
      offset: 0,
      positions: { 'event-types/1': 0 },
      recordIds: [testRecordId(0)],
    });
  });

  it('replaces all fields, and keeps the time of the creation', () => {
    const settings = { description: null, schema: null, examples: '[]', validation: 'off' } as const;
    expect(documentAfter(eventTypeCreated(), eventTypeUpdated(settings))).to.deep.include({
      description: null,
      schema: null,
      bytes: 2,
      checked: false,
      created: start,
      updated: secondsLater(1),
      revision: testRecordId(1),
      offset: 1,
    });
  });

  it('keeps the revision of the checks, unless the schema or the validation changes', () => {
    const revisionAfter = (settings: Partial<EventTypeSettings>) =>
      documentAfter(eventTypeCreated(), eventTypeUpdated(settings))?.revision;
    const others = { description: null, examples: '[]', deprecated: true };
    expect([
      revisionAfter(others),
      revisionAfter({ schema: '{}' }),
      revisionAfter({ validation: 'reject' }),
    ]).to.deep.equal([testRecordId(0), testRecordId(1), testRecordId(1)]);
  });

  it('keeps of a deleted event type only its name and the time of its creation', () => {
    expect(documentAfter(eventTypeCreated(), eventTypeDeleted())).to.deep.equal({
      ...identity,
      status: 'deleted',
      created: start,
      revision: testRecordId(1),
      checked: false,
      partition: 1,
      offset: 1,
      positions: { 'event-types/1': 1 },
      recordIds: [testRecordId(0), testRecordId(1)],
    });
  });

  it('gives an event type that is created again a new time of creation', () => {
    const document = documentAfter(eventTypeCreated(), eventTypeDeleted(), eventTypeCreated());
    expect(document).to.deep.include({ status: 'active', created: secondsLater(2) });
  });

  it('ignores a change of an event type that does not exist', () => {
    expect([documentAfter(eventTypeUpdated()), documentAfter(eventTypeDeleted())]).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('separates the modes of an account', () => {
    const fact = eventTypeCreated();
    const record = recordOf({ ...fact, context: { ...fact.context, mode: 'test' } }, 0);
    expect(foldedDocument(eventTypesProjection, [record])?._id).to.equal(
      `${testIdentifier('acct')}/test/${testTypeName}`,
    );
  });

  it('rejects a record without a mode, or with an unreadable value', () => {
    const fact = eventTypeCreated();
    const records = [
      recordOf({ ...fact, context: { ...fact.context, mode: null } }, 0),
      { ...recordOf(fact, 0), value: null },
    ];
    expect(records.map((record) => eventTypesProjection.read(record))).to.deep.equal([
      { readable: false, reason: 'ce_mode is missing' },
      { readable: false, reason: 'the value of the record is not JSON' },
    ]);
  });
});
