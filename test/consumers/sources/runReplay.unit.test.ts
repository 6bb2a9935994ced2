import { expect } from 'chai';

import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import { createFilters } from '../../../shared/filters/filters.js';
import { createRunReplay, type RunReplayDependencies } from '../../../consumers/sources/runReplay.js';
import { evolveReplay, type Replay } from '../../../shared/domain/replays/replay.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import type { ReplayDocument } from '../../../shared/store/models/documents.js';
import { metaId, type MetaDocument } from '../../../shared/store/models/generations.js';
import {
  replayCanceled,
  replayCompleted,
  replayProgressed,
  replayRequested,
  testReplayId,
} from '../../support/replayFacts.js';
import { webhookCreated } from '../../support/webhookFacts.js';

const meta: MetaDocument = { _id: metaId, version: 1, complete: true, positions: {}, target: {} };

function documentOf(replay: Replay | null): ReplayDocument {
  if (replay === null) {
    throw new Error('there is no replay');
  }
  const { id: _id, ...fields } = replay;
  return { _id, ...fields, positions: {} };
}

function unexpected(): Promise<never> {
  return Promise.reject(new Error('a replay that has ended does nothing'));
}

const webhook = evolveWebhook(null, webhookCreated()) as Webhook;

/** The run of a replay that selects no event of the read model. */
function runOf(document: () => ReplayDocument, own: Pick<RunReplayDependencies, 'counts' | 'log'>) {
  const reached = () => Promise.resolve(true);
  return createRunReplay({
    models: {
      replays: { findInAllAccounts: () => Promise.resolve({ documents: [document()], meta }) },
    },
    eventsOf: () => ({
      findPage: () => Promise.resolve([]),
      findValues: unexpected,
      countPage: unexpected,
    }),
    progress: { replays: { reached }, events: { reached } },
    offsets: { ends: () => Promise.resolve([0]) },
    webhooks: { webhookOf: () => Promise.resolve({ readAt: 0, webhook }) },
    filters: createFilters({ turns: createSharedTurns(), seconds: createMetrics().filterSeconds }),
    metrics: createMetrics(),
    ...own,
  });
}

describe('the run of a replay whose record is read again', () => {
  for (const ended of [replayCompleted(3_000_000), replayCanceled()]) {
    it(`counts nothing after ${ended.type}`, async () => {
      const replay = [replayRequested(), ended].reduce<Replay | null>(evolveReplay, null);
      const run = runOf(() => documentOf(replay), {
        // A count of the deliveries takes too long.
        counts: { count: unexpected, handedOver: unexpected },
        log: { record: unexpected, handOver: unexpected },
      });

      expect(await run(testReplayId, new AbortController().signal)).to.equal('done');
    });
  }
});

describe('the run of a replay that has requested all deliveries', () => {
  it('ends when each of them has an attempt or an end, so that the replay can be canceled until then', async () => {
    const facts = [replayRequested(), replayProgressed(2)];
    let replay = facts.reduce<Replay | null>(evolveReplay, null);
    const pending = [0, 2, 1, 0];
    const seen: (number | undefined)[] = [];
    const run = runOf(() => documentOf(replay), {
      counts: {
        count: () => {
          seen.push(pending[seen.length]);
          return Promise.resolve(seen.at(-1) ?? 0);
        },
        handedOver: () => Promise.resolve(2),
      },
      log: {
        record: (_replay, fact) => {
          replay = evolveReplay(replay, { ...fact, context: replayCompleted(2).context });
          return Promise.resolve();
        },
        handOver: () => Promise.resolve(true),
      },
    });

    expect([await run(testReplayId, new AbortController().signal), replay?.status, seen]).to.deep.equal([
      ...['done', 'completed'],
      pending,
    ]);
  });
});
