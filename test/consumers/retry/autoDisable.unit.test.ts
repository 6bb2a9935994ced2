import { expect } from 'chai';

import { createAutoDisable, type AutoDisable } from '../../../consumers/retry/autoDisable.js';
import { attemptsProjection } from '../../../projections/models/attempts.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { createLogger } from '../../../shared/core/logger.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import type { AttemptDocument } from '../../../shared/store/models/documents.js';
import { foldedDocument } from '../../projections/foldedLog.js';
import { failed, succeeded } from '../../support/deliveryFacts.js';
import { contextOf, secondsLater, start, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { webhookCreated } from '../../support/webhookFacts.js';

const enabled: Webhook = {
  ...(evolveWebhook(null, webhookCreated()) as Webhook),
  enabledAt: secondsLater(-0.5),
};
/** A webhook may fail for so long. Checks of a webhook are at least a tenth of that apart. */
const failingAfterMs = 100_000;

function failureAt(seconds: number, event = 1) {
  return { eventId: testIdentifier('evt', event), at: secondsLater(seconds) };
}

function attemptAt(seconds: number, event: number, outcome = failed): AttemptDocument {
  const { eventId, at: attemptedAt } = failureAt(seconds, event);
  const record = deliveryRecords.encode(outcome({ attemptedAt }), contextOf(eventId), 0);
  const document = foldedDocument(attemptsProjection, [rawRecord(record)]);
  if (document === undefined) {
    throw new Error('there is no attempt');
  }
  return document;
}

/** The parts of a filter that select attempts of a webhook. */
interface Filter {
  readonly status?: AttemptDocument['status'];
  readonly created?: { readonly $gt: Date };
  readonly eventId?: { readonly $ne: string };
}

function isMatch(attempt: AttemptDocument, { status, created, eventId }: Filter): boolean {
  return (
    attempt.status === status &&
    attempt.created > (created?.$gt ?? new Date(0)) &&
    attempt.eventId !== eventId?.$ne
  );
}

interface Process extends AutoDisable {
  /** The webhooks that were disabled, the models that were waited for, and the log lines. */
  readonly disabled: string[];
  readonly reads: unknown[];
  readonly lines: unknown[];
}

interface Stored {
  /** The attempts that the model contains, oldest first. */
  readonly attempts?: readonly AttemptDocument[];
  readonly isBehind?: boolean;
  readonly isEnabledMeanwhile?: boolean;
  /** Resolves when the model may answer. */
  readonly answered?: Promise<unknown>;
}

const ofTwoEvents = [attemptAt(0, 1), attemptAt(50, 2)];

function openProcess({
  attempts = ofTwoEvents,
  isBehind,
  isEnabledMeanwhile,
  answered,
}: Stored = {}): Process {
  const disabled: string[] = [];
  const reads: unknown[] = [];
  const lines: unknown[] = [];
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  logger.warn = (...line: readonly unknown[]) => void lines.push(line);
  const autoDisable = createAutoDisable({
    failingAfterMs,
    models: {
      attempts: {
        findPage: async ({ ranges }) => {
          await answered;
          return ranges.flatMap(({ filter, sort }) => {
            const found = attempts.filter((attempt) => isMatch(attempt, filter));
            return sort['created'] === 1 ? found.slice(0, 1) : found.slice(-1);
          });
        },
      },
    },
    progress: {
      reached: (topic, offsets, timeoutMs) => {
        reads.push({ topic, offsets: [...offsets], timeoutMs });
        return Promise.resolve(isBehind !== true);
      },
    },
    offsets: { ends: (topic) => Promise.resolve(topic === 'deliveries' ? [7, 9] : []) },
    disableWebhook: {
      failing: ({ id }) => {
        disabled.push(id);
        return Promise.resolve(isEnabledMeanwhile !== true);
      },
    },
    logger,
  });
  return { ...autoDisable, disabled, reads, lines };
}

/** The process after these failures of the webhook were noticed one after the other, and checked. */
async function afterFailures(stored: Stored, ...seconds: readonly number[]): Promise<Process> {
  const process = openProcess(stored);
  for (const second of seconds) {
    process.notice(enabled, failureAt(second));
    await process.stop();
  }
  return process;
}

describe('the automatic disabling of a webhook', () => {
  it('disables a webhook whose attempts have failed for the whole time', async () => {
    const { disabled, lines } = await afterFailures({}, 100);
    const { id: webhookId, accountId, url } = enabled;
    expect(disabled).to.deep.equal([webhookId]);
    expect(lines).to.deep.equal([
      [{ accountId, webhookId, url, firstFailureAt: start }, 'a webhook was disabled: failing'],
    ]);
  });

  it('waits until the read model contains all outcomes that the log has', async () => {
    const { reads } = await afterFailures({}, 100);
    const offsets = [
      [0, 7],
      [1, 9],
    ];
    expect(reads).to.deep.equal([{ topic: 'deliveries', offsets, timeoutMs: 5000 }]);
  });

  it('disables no webhook while the read model is behind, and reports it', async () => {
    const { disabled, lines } = await afterFailures({ isBehind: true }, 100);
    expect(disabled).to.deep.equal([]);
    const error = 'the read model "attempts" is behind the log';
    const message = 'cannot read the failure history of the webhook';
    expect(lines).to.deep.equal([[{ webhookId: enabled.id, error }, message]]);
  });

  it('disables no webhook of which only one event has failed', async () => {
    const { disabled } = await afterFailures({ attempts: [attemptAt(0, 1), attemptAt(50, 1)] }, 100);
    expect(disabled).to.deep.equal([]);
  });

  it('disables a webhook if the event that has just failed is the only other one', async () => {
    const { disabled } = await afterFailures({ attempts: [attemptAt(0, 2)] }, 100);
    expect(disabled).to.have.lengthOf(1);
  });

  it('counts from the last success', async () => {
    const attempts = [attemptAt(0, 1), attemptAt(10, 1, succeeded), attemptAt(20, 1), attemptAt(30, 2)];
    expect((await afterFailures({ attempts }, 119)).disabled).to.deep.equal([]);
    expect((await afterFailures({ attempts }, 120)).disabled).to.have.lengthOf(1);
  });

  it('counts from the time at which the webhook was enabled, if that is later', async () => {
    const attempts = [attemptAt(-60, 1, succeeded), attemptAt(-50, 1), attemptAt(20, 1), attemptAt(30, 2)];
    expect((await afterFailures({ attempts }, 119)).disabled).to.deep.equal([]);
    expect((await afterFailures({ attempts }, 120)).disabled).to.have.lengthOf(1);
  });

  it('disables no webhook without a failure since its last success', async () => {
    const { disabled, lines } = await afterFailures({ attempts: [attemptAt(10, 1, succeeded)] }, 100);
    expect([disabled, lines]).to.deep.equal([[], []]);
  });

  it('reports nothing if a user has changed the webhook meanwhile', async () => {
    const { disabled, lines } = await afterFailures({ isEnabledMeanwhile: true }, 100);
    expect([disabled.length, lines]).to.deep.equal([1, []]);
  });

  it('reads nothing before the webhook has been enabled for so long', async () => {
    expect((await afterFailures({}, 1, 99)).reads).to.deep.equal([]);
  });

  it('checks a webhook once in each interval', async () => {
    expect((await afterFailures({}, 100, 101, 109, 110, 111, 120)).reads).to.have.lengthOf(3);
  });

  it('checks each webhook in an interval', async () => {
    const process = openProcess();
    for (const number of [1, 2, 3]) {
      process.notice({ ...enabled, id: testIdentifier('wh', number) }, failureAt(100));
    }
    await process.stop();
    expect(process.disabled).to.have.lengthOf(3);
  });

  it('has at most 20 checks in flight, and checks the other webhooks at their next failure', async () => {
    let answer: (value?: unknown) => void = () => undefined;
    const process = openProcess({ answered: new Promise((resolve) => (answer = resolve)) });
    const webhooks = Array.from({ length: 25 }, (_, index) => ({
      ...enabled,
      id: testIdentifier('wh', index),
    }));
    webhooks.forEach((webhook) => {
      process.notice(webhook, failureAt(100));
    });
    answer();
    await process.stop();
    const checkedFirst = process.disabled.length;
    webhooks.forEach((webhook) => {
      process.notice(webhook, failureAt(101));
    });
    await process.stop();
    expect([checkedFirst, process.disabled.length]).to.deep.equal([20, 25]);
  });

  it('survives a failed read', async () => {
    const process = openProcess({ answered: Promise.reject(new UnavailableError('no database')) });
    process.notice(enabled, failureAt(100));
    await process.stop();
    expect(process.lines).to.have.lengthOf(1);
  });
});
