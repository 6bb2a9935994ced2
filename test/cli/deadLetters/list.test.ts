import { expect } from 'chai';

import { listDeadLetters, type ListedDeadLetter } from '../../../cli/deadLetters/list.js';
import type { ScanTopic } from '../../../shared/log/client/topicScan.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { deadLetterHeaders } from '../../../shared/log/records/deadLetter.js';
import { plainRecord } from '../../support/log.js';
import { rawRecord } from '../../support/records.js';

const everything = { topics: ['events'] as const, group: null, reason: null, position: null };
const [early, middle, late] = ['01', '02', '03'].map((second) => new Date(`2026-01-01T00:00:${second}Z`));

/** What is listed of one record that groups have refused at these times, in the order of the log. */
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

describe('listDeadLetters', () => {
  it('tells since when a record is refused, whichever letter stands first in the log', async () => {
    expect(await listedOf([middle, early, late])).to.deep.include({
      firstRefusedAt: '2026-01-01T00:00:01.000Z',
      reason: 'reason 1',
    });
  });

  it('tells when it was refused last, whichever letter stands last in the log', async () => {
    expect(await listedOf([late, early, middle])).to.deep.include({
      lastRefusedAt: '2026-01-01T00:00:03.000Z',
      groups: ['group 0', 'group 1', 'group 2'],
    });
  });
});
