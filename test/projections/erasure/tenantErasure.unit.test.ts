import { expect } from 'chai';

import { createTenantErasure } from '../../../projections/erasure/tenantErasure.js';
import { createLogger } from '../../../shared/core/logger.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { EndingLife } from '../../../shared/tenants/endedLives.js';
import { eventually } from '../../support/eventually.js';
import { start, testIdentifier } from '../../support/facts.js';

const life: EndingLife = {
  accountId: testIdentifier('acct'),
  mode: 'live',
  ...{ tenantId: 'customer-1', lifeId: 'life-1', eventsFrom: [0], eventsBelow: [5] },
  ...{ deletedAt: start, isErased: false },
};

type Step = 'removed' | 'erased' | 'keys removed';

interface Course {
  /** The result of each removal, or the error of a process that dies there. The last one repeats. */
  readonly removals: readonly ({ readonly removed: number; readonly remaining: number } | 'crash')[];
  readonly isSettled?: () => boolean;
  readonly append?: () => Promise<void>;
}

/** A process with the erasure, and the steps that it has taken. */
function erasure({ removals, isSettled = () => true, append = () => Promise.resolve() }: Course) {
  const steps: Step[] = [];
  const ids: unknown[] = [];
  let lives: readonly EndingLife[] = [life];
  let time = 0;
  let number = 0;
  const task = createTenantErasure({
    endedLives: { all: () => Promise.resolve(lives) },
    reservations: {
      removeLife: () => {
        steps.push('keys removed');
        return Promise.resolve();
      },
    },
    documents: {
      remove: () => {
        const result = removals[Math.min(number, removals.length - 1)] ?? 'crash';
        number += 1;
        steps.push('removed');
        return result === 'crash' ? Promise.reject(new UnavailableError('killed')) : Promise.resolve(result);
      },
    },
    settled: { startPass: () => () => Promise.resolve(isSettled()), forget: () => undefined },
    leases: {
      holdIfFree: async (_name, work) => {
        await work();
        return true;
      },
    },
    log: {
      append: async (record) => {
        await append();
        ids.push(record.headers['ce_id']);
        steps.push('erased');
        return { topic: 'tenants', partition: 0, offset: 0 };
      },
    },
    logger: createLogger({ role: 'test', level: 'silent', isTerminal: false }),
    // Each pass is due, because the clock advances faster than the pauses between passes.
    now: () => (time += 20_000),
    ...{ restMs: 1, lastRemovalAfterMs: 0 },
  });
  return {
    steps,
    ids,
    finish: () => {
      lives = [];
    },
    runUntil: async (condition: () => boolean) => {
      task.start();
      await eventually('the steps of the erasure', () => (condition() ? true : null));
      await task.stop();
    },
  };
}

const nothing = { removed: 0, remaining: 0 };

describe('the erasure of a deleted tenant', () => {
  it('is recorded after a removal that finds nothing', async () => {
    const { steps, runUntil } = erasure({ removals: [{ removed: 3, remaining: 0 }, nothing] });
    await runUntil(() => steps.includes('erased'));
    expect(steps.slice(0, 5)).to.deep.equal([
      ...['keys removed', 'removed', 'keys removed', 'removed'],
      'erased',
    ]);
  });

  it('waits for open deliveries', async () => {
    const { steps, runUntil } = erasure({ removals: [{ removed: 0, remaining: 1 }] });
    await runUntil(() => steps.length > 10);
    expect(steps).not.to.include('erased');
  });

  it('waits until no record can follow, and removes meanwhile', async () => {
    let isSettled = false;
    const { steps, runUntil } = erasure({ removals: [nothing], isSettled: () => isSettled });
    await runUntil(() => {
      isSettled = steps.length > 10;
      return steps.includes('erased');
    });
    expect(steps.filter((step) => step === 'removed').length).to.be.greaterThan(5);
  });

  it('removes again after a process has died during a removal, and records nothing before', async () => {
    const { steps, runUntil } = erasure({ removals: ['crash', nothing] });
    await runUntil(() => steps.includes('erased'));
    const before = steps.slice(0, steps.indexOf('erased'));
    expect(before.filter((step) => step === 'removed')).to.have.length(2);
  });

  it('is recorded again if the append has failed, with the same id', async () => {
    let failures = 1;
    const append = () => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new UnavailableError('killed')) : Promise.resolve();
    };
    const { ids, runUntil } = erasure({ removals: [nothing], append });
    await runUntil(() => ids.length >= 2);
    expect(new Set(ids)).to.have.property('size', 1);
  });

  it('removes once more after the record, because a paused process may have written meanwhile', async () => {
    const { steps, finish, runUntil } = erasure({ removals: [nothing] });
    let after = -1;
    await runUntil(() => {
      if (steps.includes('erased') && after < 0) {
        finish();
        after = steps.length;
      }
      return after >= 0 && steps.slice(after).includes('removed');
    });
    expect(steps.slice(after)).to.include('removed');
  });
});
