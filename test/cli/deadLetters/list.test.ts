import { expect } from 'chai';

import { listDeadLetters, type ListedDeadLetter } from '../../../cli/deadLetters/list.js';
import type { ScanTopic } from '../../../shared/log/client/topicScan.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { deadLetterHeaders } from '../../../shared/log/records/deadLetter.js';
import { plainRecord } from '../../support/log.js';
import { rawRecord } from '../../support/records.js';

const everything = { topics: ['events'] as const, group: null, reason: null, position: null };
const [early, middle, late] = ['01', '02', '03'].map((second) => new Date(`2026-01-01T00:00:${second}Z`));

/** The listed entry of a record that groups have rejected at these times. The times are in the order of the log. */
async function listedOf(times: readonly (Date | undefined)[]): Promise<ListedDeadLetter | undefined> {
  const letters = times.map((at = new Date(), offset): RawRecord => {
    const refusal = { reason: `reason ${offset}`, group: `group ${offset}`, at };
    const headers = deadLetterHeaders({ ...refusal, topic: 'events', partition: 0, offset: 7 });
    return rawRecord({ ...plainRecord('events', 'key'), headers }, { offset });
  });
  const scan: ScanTopic = (_topic, take) => take(letters, { read: letters.length, of: letters.length });
  const source = { scan, prefix: '', onProgress: () => undefined };
  const { data } = await listDeadLetters(source, { ...everything, since: null, until: null }, 10);
  return data[0];
}

describe('the list of dead letters', () => {
  it('shows when a record was first rejected, whatever the order of its dead letters', async () => {
    expect(await listedOf([middle, early, late])).to.deep.include({
      firstRefusedAt: '2026-01-01T00:00:01.000Z',
      reason: 'reason 1',
    });
  });

  it('shows when a record was last rejected, whatever the order of its dead letters', async () => {
    expect(await listedOf([late, early, middle])).to.deep.include({
      lastRefusedAt: '2026-01-01T00:00:03.000Z',
      groups: ['group 0', 'group 1', 'group 2'],
    });
  });
});
