import { Readable } from 'node:stream';

import { expect } from 'chai';

import { createWebhookHealth } from '../../../../api/resources/webhooks/webhookHealth.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import { metaId, type MetaDocument } from '../../../../shared/store/models/generations.js';
import { secondsLater, testIdentifier } from '../../../support/facts.js';

const meta: MetaDocument = { _id: metaId, version: 1, complete: true, positions: {}, target: {} };
const owner = { accountId: testIdentifier('acct'), mode: 'live', tenant: null } as const;
const webhook = { id: testIdentifier('wh'), status: 'active', version: 0 } as const;

/** @param times the known times at each read of the models' progress; the last one remains */
function healthWith(latest: Date | null, ...times: readonly (Date | null)[]) {
  let [reads, progressReads, at] = [0, 0, 0];
  const health = createWebhookHealth({
    deliveryHealth: {
      read: () => {
        reads += 1;
        return Promise.resolve({ byWebhook: new Map(), events: meta, attempts: meta });
      },
      readStates: () => {
        reads += 1;
        return Promise.resolve({ events: meta, attempts: meta });
      },
      readModels: () => {
        progressReads += 1;
        at += 100;
        return Promise.resolve({ events: meta, attempts: meta });
      },
    },
    lookup: { pages: () => Readable.from([]) },
    takenUp: {
      refresh: () => Promise.resolve(),
      latest: () => latest,
      asOf: () => times[Math.min(progressReads, times.length) - 1] ?? null,
    },
    now: () => at,
  });
  return {
    read: (version = 0) => health.read(testIdentifier('acct'), [{ ...webhook, version }]),
    readTotals: (tenantId?: string | null) => health.readTotals(owner, tenantId),
    reads: () => [progressReads, reads],
  };
}

describe('The time of a health', () => {
  it('is that of the first read if the models contain the log', async () => {
    const health = healthWith(secondsLater(10), secondsLater(10));

    expect([(await health.read()).asOf, health.reads()]).to.deep.equal([secondsLater(10), [1, 1]]);
  });

  it('is current if the models are behind for a moment, after one read of the counts', async () => {
    const health = healthWith(secondsLater(10), null, secondsLater(8), secondsLater(10));

    expect([(await health.read()).asOf, health.reads()]).to.deep.equal([secondsLater(10), [3, 1]]);
  });

  it('is an earlier one if the models are behind for longer', async () => {
    const health = healthWith(secondsLater(10), secondsLater(8));

    expect([(await health.read()).asOf, health.reads()]).to.deep.equal([secondsLater(8), [7, 1]]);
  });

  it('does not wait for models while delivery is stopped', async () => {
    const health = healthWith(secondsLater(1), secondsLater(1));

    expect([(await health.read()).asOf, health.reads()]).to.deep.equal([secondsLater(1), [1, 1]]);
  });

  it('is that of a shared read for a second, but not for another version of a webhook', async () => {
    const health = healthWith(secondsLater(10), secondsLater(10));
    await Promise.all([health.read(), health.read()]);
    await health.read();

    expect(health.reads()).to.deep.equal([1, 1]);
    await health.read(1);
    expect(health.reads()).to.deep.equal([2, 2]);
  });

  it('is that of totals that waiting requests share, but not for another tenant', async () => {
    const health = healthWith(secondsLater(10), secondsLater(10));
    await Promise.all([undefined, null, '*', undefined, null, '*'].map(health.readTotals));

    expect(health.reads()).to.deep.equal([3, 3]);
    await health.readTotals();
    expect(health.reads()).to.deep.equal([4, 4]);
  });

  it('is not that of totals whose read had begun before the request', async () => {
    const health = healthWith(secondsLater(10), secondsLater(10));
    const early = health.readTotals();
    while (health.reads()[0] === 0) {
      await Promise.resolve();
    }
    await Promise.all([early, health.readTotals(), health.readTotals()]);

    expect(health.reads()).to.deep.equal([2, 2]);
  });

  it('must be known: otherwise the health is unavailable', async () => {
    const error = await healthWith(null)
      .read()
      .catch((failure: unknown) => failure);

    expect(error).to.be.instanceOf(UnavailableError);
  });
});
