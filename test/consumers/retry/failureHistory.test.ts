import { expect } from 'chai';
import { ulid } from 'ulid';

import { readFailureHistory } from '../../../consumers/retry/autoDisable.js';
import type { FailureHistory } from '../../../shared/domain/webhooks/failing.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { offsetsBehind } from '../../../shared/store/models/modelProgress.js';
import { failedForGood, succeeded } from '../../support/deliveryFacts.js';
import { contextOf } from '../../support/facts.js';
import { sharedService } from '../../support/service.js';

type Outcome = 'fails' | 'succeeds';

const facts = { fails: failedForGood, succeeds: succeeded };
const modelTimeoutMs = 20_000;

describe('the failure history of a webhook', () => {
  const began = Date.now() - 3_600_000;
  const second = (number: number) => new Date(began + number * 1000);
  let webhookId: string;
  /** Two events with separate attempts. */
  let events: readonly [string, string];

  beforeEach(() => {
    webhookId = `wh_${ulid()}`;
    events = [`evt_${ulid()}`, `evt_${ulid()}`];
  });

  /** The failure history if the model has these attempts, one a second, and an attempt of the first event has failed. */
  const historyOf = async (
    attempts: readonly (readonly [Outcome, event: 0 | 1])[],
    enabledAt = second(-1),
  ): Promise<FailureHistory> => {
    const service = await sharedService();
    const { id: accountId } = await service.createAccount();
    const records = attempts.map(([outcome, event], index) => {
      const attempt = { webhookId, attemptId: `att_${ulid()}`, attemptedAt: second(index) };
      const fact = facts[outcome](attempt);
      const home = placementOf({ id: events[event] }, service.config.topics.partitions);
      return deliveryRecords.encode(fact, contextOf(events[event], { id: ulid(), accountId }), home);
    });
    return service.withStores(async ({ log, models, progress }) => {
      const positions = await Promise.all(records.map((record) => log.append(record)));
      await progress.attempts.reached('deliveries', offsetsBehind(positions), modelTimeoutMs);
      const latest = { eventId: events[0], at: second(attempts.length) };
      return readFailureHistory(models.attempts, { id: webhookId, enabledAt }, latest);
    });
  };

  it('begins with the first failure if there was no success', async () => {
    expect(
      await historyOf([
        ['fails', 1],
        ['fails', 0],
      ]),
    ).to.deep.equal({ first: { eventId: events[1], at: second(0) }, othersFailed: true });
  });

  it('begins with the first failure since the last success', async () => {
    const history = await historyOf([
      ['fails', 0],
      ['succeeds', 1],
      ['fails', 1],
      ['fails', 0],
    ]);
    expect(history.first).to.deep.equal({ eventId: events[1], at: second(2) });
  });

  it('begins with the first failure since the webhook was enabled, if that was later', async () => {
    const history = await historyOf(
      [
        ['succeeds', 0],
        ['fails', 1],
        ['fails', 0],
      ],
      second(1.5),
    );
    expect(history.first).to.deep.equal({ eventId: events[0], at: second(2) });
  });

  it('is empty if no attempt has failed since the last success', async () => {
    expect(
      await historyOf([
        ['fails', 1],
        ['succeeds', 0],
      ]),
    ).to.deep.equal({ first: null, othersFailed: false });
  });

  it('shows whether another event has failed after the first failure', async () => {
    const history = await historyOf([
      ['fails', 0],
      ['fails', 1],
    ]);
    expect(history.othersFailed).to.equal(true);
  });

  it('does not count failures of other events before the last success', async () => {
    const history = await historyOf([
      ['fails', 1],
      ['succeeds', 1],
      ['fails', 0],
    ]);
    expect(history.othersFailed).to.equal(false);
  });
});
