import { expect } from 'chai';
import { Binary } from 'mongodb';

import { createSchemaWorkers } from '../../../../api/eventTypes/worker/schemaWorkers.js';
import { createWorkerQueue } from '../../../../api/eventTypes/worker/workerQueue.js';
import { createDryRun, type DryRunDependencies } from '../../../../api/resources/eventTypes/dryRun.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import { createLogger } from '../../../../shared/core/logger.js';
import { createMetrics } from '../../../../shared/runtime/metrics.js';
import { eventDocument } from '../../support/storedEvents.js';

type Events = DryRunDependencies['events'];
type CheckSome = DryRunDependencies['workers']['checkSome'];

/** A schema whose check of nested data takes twice as long with each level. */
const exponential = {
  $defs: {
    node: {
      properties: { next: { anyOf: [{ $ref: '#/$defs/node', required: ['no'] }, { $ref: '#/$defs/node' }] } },
    },
  },
  $ref: '#/$defs/node',
};
const tooComplex = '{"next":'.repeat(60) + '{}' + '}'.repeat(60);

const event = { accountId: 'acct_1', type: 'order.completed', created: new Date(0), deliveries: [] };

/** Stored events with the same data, of which a page has at most 100. */
function eventsWith(data: string, count: number): Events {
  let served = 0;
  return {
    findListPage: ({ limit }) => {
      const length = Math.min(limit, count - served);
      const documents = Array.from({ length }, (_, index) => ({
        ...eventDocument({ ...event, id: `evt_${String(served + index)}` }),
        data: new Binary(Buffer.from(data)),
      }));
      served += length;
      return Promise.resolve({ documents, hasMore: served < count });
    },
  };
}

function dryRunOf(events: Events, checkSome: CheckSome, now: () => number = () => performance.now()) {
  const dryRun = createDryRun({
    ...{ events, workers: { checkSome }, now },
    progress: { reached: () => Promise.resolve(true) },
    offsets: { ends: () => Promise.resolve([]) },
  });
  const schema = { key: 'one', schema: Buffer.from(JSON.stringify(exponential)) };
  return dryRun({ accountId: 'acct_1', mode: 'live', name: 'order.completed', schema });
}

describe('a dry run of a costly schema', () => {
  it('checks all events, in as many jobs as the checks need', async () => {
    const jobs: number[] = [];
    // Without the pauses of the account's share, the test is faster.
    const clock = {
      now: () => 0,
      after: (ms: number, call: () => void) => {
        const timer = setTimeout(call, ms);
        return () => {
          clearTimeout(timer);
        };
      },
    };
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    const createQueue = () => createWorkerQueue(clock);
    const workers = createSchemaWorkers({ metrics: createMetrics(), logger, createQueue });
    try {
      const result = await dryRunOf(eventsWith(tooComplex, 6), async (...job) => {
        const results = await workers.checkSome(...job);
        jobs.push(results.length);
        return results;
      });
      expect(result).to.deep.include({ checked: 6, invalid: 6, complete: true });
      expect(jobs).to.have.length(6);
    } finally {
      await workers.stop();
    }
  });

  it('ends at its time limit with the events that it has checked', async () => {
    let time = 0;
    const checkSome: CheckSome = (_accountId, _schema, data) => {
      time += 1500;
      return Promise.resolve(data.slice(0, 3).map(() => ({ status: 'valid' as const })));
    };
    const result = await dryRunOf(eventsWith('{}', 300), checkSome, () => time);
    expect(result).to.deep.equal({ checked: 42, invalid: 0, samples: [], complete: false });
  });

  it('ends at its time limit if the worker has no time for it', async () => {
    let time = 0;
    const checkSome: CheckSome = (_accountId, _schema, data, maximumWaitMs = 0) => {
      if (time > 0) {
        time += maximumWaitMs;
        return Promise.reject(new UnavailableError('too many schemas and events wait for a check'));
      }
      time += 1;
      return Promise.resolve(data.slice(0, 3).map(() => ({ status: 'valid' as const })));
    };
    const result = await dryRunOf(eventsWith('{}', 300), checkSome, () => time);
    expect(result).to.deep.include({ checked: 3, complete: false });
  });

  it('answers 503 if the worker has failed', async () => {
    const checkSome: CheckSome = () => Promise.reject(new UnavailableError('a worker thread has ended'));
    const error = await dryRunOf(eventsWith('{}', 3), checkSome).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(UnavailableError);
  });
});
