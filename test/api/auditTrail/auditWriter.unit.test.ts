import { expect } from 'chai';

import { createAuditWriter, type WrittenEntry } from '../../../api/auditTrail/auditWriter.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { OutgoingRecord, RecordPosition, Tombstone } from '../../../shared/log/encoding/record.js';
import { testIdentifier, testRecordId } from '../../support/facts.js';

const entry: WrittenEntry = {
  accountId: testIdentifier('acct'),
  id: testRecordId(1),
  at: new Date('2026-11-24T08:00:00Z'),
  fact: {
    type: 'postrider.action.recorded',
    value: {
      action: 'user.signed_in',
      mode: null,
      resource: { type: 'user', id: testIdentifier('usr') },
      changes: {},
      client: { network: '192.0.2.1', userAgent: null },
      actor: { type: 'user', id: testIdentifier('usr'), name: 'Ada' },
    },
  },
};

function open(append: (record: OutgoingRecord | Tombstone) => Promise<RecordPosition>) {
  const lines: Record<string, unknown>[] = [];
  const securityLog = {
    write: (event: string, fields: Readonly<Record<string, unknown>>) => {
      lines.push({ event, ...fields });
    },
  };
  return { writer: createAuditWriter({ append }, securityLog), lines };
}

/** An append that ends when the test says so. */
function pendingAppend() {
  const ends: ((position: RecordPosition) => void)[] = [];
  const appended = new Promise<RecordPosition>((resolve) => ends.push(resolve));
  const finish = () => {
    ends.forEach((end) => {
      end(position);
    });
  };
  return { appended, finish };
}

const position: RecordPosition = { topic: 'accounts', partition: 0, offset: 0 };
const unavailable = () => Promise.reject(new UnavailableError('Kafka does not respond'));

describe('the audit writer', () => {
  it('appends an entry to the records of its account', async () => {
    const records: (OutgoingRecord | Tombstone)[] = [];
    const { writer } = open((record) => {
      records.push(record);
      return Promise.resolve(position);
    });
    await writer.writeInBackground(entry);
    expect(records.map(({ topic, key, headers }) => [topic, key, headers['ce_id']])).to.deep.equal([
      ['accounts', entry.accountId, entry.id],
    ]);
  });

  it('fails if an entry that precedes its action cannot be appended', async () => {
    const { writer, lines } = open(unavailable);
    const outcome = await writer.write(entry).catch((error: unknown) => error);
    expect([outcome instanceof UnavailableError, lines]).to.deep.equal([true, []]);
  });

  it('writes a security log line, without names, for any other entry that cannot be appended', async () => {
    const { writer, lines } = open(unavailable);
    await writer.writeInBackground(entry);
    expect(lines).to.deep.equal([
      {
        event: 'audit_entry_not_written',
        accountId: entry.accountId,
        action: 'user.signed_in',
        mode: null,
        resource: { type: 'user', id: testIdentifier('usr') },
        changes: {},
        actorType: 'user',
        actorId: testIdentifier('usr'),
        network: '192.0.2.1',
        userAgent: null,
        at: entry.at,
        reason: 'Kafka does not respond',
      },
    ]);
  });

  it('appends a bounded number of entries at once, and writes lines for all others', async () => {
    const { appended, finish } = pendingAppend();
    const { writer, lines } = open(() => appended);
    const writes = Array.from({ length: 1003 }, () => writer.writeInBackground(entry));
    expect(lines.length).to.equal(3);
    finish();
    await Promise.all(writes);
  });

  it('is closed once all entries are appended', async () => {
    const { appended, finish } = pendingAppend();
    const { writer } = open(() => appended);
    let isClosed = false;
    void writer.writeInBackground(entry);
    const closed = writer.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    const before = isClosed;
    finish();
    await closed;
    expect([before, isClosed]).to.deep.equal([false, true]);
  });
});
