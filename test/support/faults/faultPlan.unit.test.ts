import { expect } from 'chai';
import fc from 'fast-check';

import { createSeeded } from '../../shared/log/group/seeded.js';
import { brokers, deliveryProcesses, planFaults } from './faultPlan.js';
import { itHolds } from '../../support/itHolds.js';

const seeds = fc.integer({ min: 1, max: 2 ** 31 - 1 });
const twoMinutes = 120_000;

describe('a plan of random faults', () => {
  itHolds('is the same for the same seed', [seeds], (seed) => {
    expect(planFaults(createSeeded(seed), twoMinutes)).to.deep.equal(
      planFaults(createSeeded(seed), twoMinutes),
    );
  });

  itHolds('contains each kind of fault in its first four', [seeds], (seed) => {
    const faults = planFaults(createSeeded(seed), 10 * twoMinutes).flatMap((round) => round.faults);
    expect(new Set(faults.slice(0, 4).map(({ kind }) => kind)).size).to.equal(4);
  });

  itHolds('never has two faults of one kind at the same time', [seeds], (seed) => {
    for (const { faults } of planFaults(createSeeded(seed), twoMinutes)) {
      expect(faults).to.have.length.within(1, 2);
      expect(new Set(faults.map(({ kind }) => kind)).size).to.equal(faults.length);
    }
  });

  itHolds('affects only existing brokers and processes', [seeds], (seed) => {
    for (const fault of planFaults(createSeeded(seed), twoMinutes).flatMap((round) => round.faults)) {
      if (fault.kind === 'broker') {
        expect(fault.broker).to.be.within(1, brokers);
      } else if (fault.kind !== 'mongodb') {
        expect(fault.process).to.be.within(0, deliveryProcesses - 1);
      }
    }
  });
});
