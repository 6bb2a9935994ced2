import { expect } from 'chai';

import { createDelayGate, type DelayGate } from '../../../../shared/log/window/assignedPartitions.js';
import { eventually } from '../../../support/eventually.js';
import { plainRecord } from '../../../support/log.js';
import { rawRecord } from '../../../support/records.js';

const holdMs = 400;

function recordAppended(msAgo: number, offset = 0) {
  const record = rawRecord(plainRecord('deliveries.retry.1s', 'key'), { offset });
  return { ...record, timestamp: Date.now() - msAgo };
}

describe('the delay gate', () => {
  let opened: number[];
  let gates: DelayGate[];

  beforeEach(() => {
    opened = [];
    gates = [];
  });

  afterEach(() => {
    gates.forEach(({ close }) => close());
  });

  const gateOf = (ms: number, mark = () => Date.now()) => {
    const gate = createDelayGate(ms, () => opened.push(mark()));
    gates.push(gate);
    return gate;
  };

  it('delays no record without a delay', () => {
    expect(gateOf(0).holds(recordAppended(-60_000))).to.equal(false);
  });

  it('delays a record until the delay since its append has passed', () => {
    expect([holdMs - 300, holdMs].map((ago) => gateOf(holdMs).holds(recordAppended(ago)))).to.deep.equal([
      true,
      false,
    ]);
  });

  it('opens when the delayed record is due', async () => {
    const heldAt = Date.now();
    gateOf(holdMs).holds(recordAppended(0));
    const [openedAt = 0] = await eventually('the opening', () => (opened.length > 0 ? opened : null));
    expect(openedAt - heldAt).to.be.at.least(holdMs - 5);
  });

  it('opens once for a record, however often the record is checked', async () => {
    const gate = gateOf(holdMs);
    const record = recordAppended(0);
    [1, 2, 3].forEach(() => gate.holds(record));
    await eventually('the record to pass', () => (gate.holds(record) ? null : true));
    expect(opened.length).to.be.at.most(1);
  });

  it('waits for no longer than the delay if the clock of the producer is ahead', async () => {
    const gate = gateOf(holdMs);
    // An hour ahead: without the limit the record would not pass within the time of this test.
    const record = recordAppended(-3_600_000);
    gate.holds(record);
    await eventually('the record to pass', () => (gate.holds(record) ? null : true));
  });

  it('does not open after it was closed', async () => {
    const closed = gateOf(holdMs);
    closed.holds(recordAppended(0));
    closed.close();
    const other = gateOf(holdMs + 100, () => -1);
    other.holds(recordAppended(0));
    await eventually('a later opening', () => (opened.length > 0 ? true : null));
    expect(opened).to.deep.equal([-1]);
  });
});
