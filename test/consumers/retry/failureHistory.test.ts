import { expect } from 'chai';

import { readFailureHistory } from '../../../consumers/retry/autoDisable.js';
import { attemptsProjection } from '../../../projections/models/attempts.js';
import type { FailureHistory } from '../../../shared/domain/webhooks/failing.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import type { AttemptDocument } from '../../../shared/store/models/documents.js';
import { foldedDocument } from '../../projections/foldedLog.js';
import { failed, succeeded } from '../../support/deliveryFacts.js';
import { contextOf, secondsLater, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { openStoredModels, type StoredModels } from '../../support/storedModels.js';

const facts = { fails: failed, succeeds: succeeded };
const webhook = { id: testIdentifier('wh'), version: 1 };

/** An attempt of an event, to version 1 of the webhook or to another version. */
type Attempt = readonly [outcome: keyof typeof facts, event: number, version?: number];

/** An attempt that was made and recorded at this second. */
function attemptAt(second: number, [outcome, event, webhookVersion = 1]: Attempt): AttemptDocument {
  const attemptId = testIdentifier('att', second);
  const at = secondsLater(second);
  const fact = facts[outcome]({ attemptId, attemptedAt: at, webhookId: webhook.id, webhookVersion });
  const record = rawRecord(deliveryRecords.encode(fact, contextOf(testIdentifier('evt', event)), 0));
  const document = foldedDocument(attemptsProjection, [{ ...record, timestamp: at.getTime() }]);
  if (document === undefined) {
    throw new Error('there is no attempt');
  }
  return document;
}

describe('the failure history of a webhook', () => {
  let stored: StoredModels;
  beforeEach(async () => {
    stored = await openStoredModels('attempts');
  });
  afterEach(() => stored.close());

  /**
   * The failure history if the model has these attempts, one a second, and then an attempt of event 1 has failed.
   * @param period the length of the period that ends with that failure, in seconds
   */
  const historyOf = async (
    attempts: readonly Attempt[],
    period = attempts.length,
  ): Promise<FailureHistory> => {
    const documents = attempts.map((attempt, second) => attemptAt(second, attempt));
    await stored.collectionOf('attempts').insertMany(documents);
    const at = secondsLater(attempts.length);
    const failure = { eventId: testIdentifier('evt', 1), at, isExhausted: false };
    return readFailureHistory(stored.models.attempts, webhook, { failure, failingAfterMs: period * 1000 });
  };

  it('begins with the first failure if there was no success, and counts the failed events', async () => {
    expect(
      await historyOf([
        ['fails', 2],
        ['fails', 1],
      ]),
    ).to.deep.equal({ firstAt: secondsLater(0), events: 2 });
  });

  it('begins with the first failure since the last success', async () => {
    expect(
      await historyOf([
        ['fails', 3],
        ['succeeds', 2],
        ['fails', 2],
        ['fails', 1],
      ]),
    ).to.deep.equal({ firstAt: secondsLater(2), events: 2 });
  });

  it('contains no attempt to an earlier version of the webhook', async () => {
    expect(
      await historyOf([
        ['fails', 2, 0],
        ['fails', 3],
        ['succeeds', 3, 0],
        ['fails', 1],
      ]),
    ).to.deep.equal({ firstAt: secondsLater(1), events: 2 });
  });

  it('is empty if no attempt has failed since the last success', async () => {
    expect(
      await historyOf([
        ['fails', 2],
        ['succeeds', 1],
      ]),
    ).to.deep.equal({ firstAt: null, events: 0 });
  });

  const pause: readonly Attempt[] = [
    ['fails', 2],
    ['fails', 3],
    ['fails', 2],
    ['fails', 1],
  ];
  for (const [period, events] of [
    [4, 3],
    [2, 2],
  ] as const) {
    it(`counts ${events} events if the period contains ${period} attempts`, async () => {
      expect(await historyOf(pause, period)).to.deep.equal({ firstAt: secondsLater(0), events });
    });
  }

  it('costs few reads, however many attempts have failed', async () => {
    const failures = Array.from({ length: 2000 }, (_, index): Attempt => ['fails', 10 + index]);
    const cost = await stored.costOf('attempts', () => historyOf(failures));

    expect(cost.documents).to.be.lessThan(20);
  });
});
