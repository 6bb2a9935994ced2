import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';
import fc from 'fast-check';

import { createAutoDisable, type AutoDisable } from '../../../consumers/retry/autoDisable.js';
import { attemptsProjection } from '../../../projections/models/attempts.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { createLogger } from '../../../shared/core/logger.js';
import type { Failure } from '../../../shared/domain/webhooks/failing.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { versionKeyOf, type AttemptDocument } from '../../../shared/store/models/documents.js';
import { foldedDocument } from '../../projections/foldedLog.js';
import { failed, succeeded } from '../../support/deliveryFacts.js';
import { contextOf, secondsLater, start, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { webhookCreated } from '../../support/webhookFacts.js';

/** A webhook that had another URL before. */
const enabled: Webhook = {
  ...(evolveWebhook(null, webhookCreated()) as Webhook),
  enabledAt: secondsLater(-0.5),
  version: 1,
};
/** A webhook may fail for so long. Checks of a webhook are at least a tenth of that apart. */
const failingAfterMs = 100_000;

function failureAt(seconds: number, event = 1, isExhausted = false) {
  return { eventId: testIdentifier('evt', event), at: secondsLater(seconds), isExhausted };
}

/** An attempt to a version of the webhook, which takes no time. */
function attemptAt(
  seconds: number,
  event: number,
  outcome = failed,
  webhookVersion = enabled.version,
): AttemptDocument {
  const { eventId, at: attemptedAt } = failureAt(seconds, event);
  const fact = outcome({ attemptedAt, webhookVersion, webhookId: enabled.id });
  const record = rawRecord(deliveryRecords.encode(fact, contextOf(eventId), 0));
  const document = foldedDocument(attemptsProjection, [{ ...record, timestamp: attemptedAt.getTime() }]);
  if (document === undefined) {
    throw new Error('there is no attempt');
  }
  return document;
}

/** The parts of a filter that select attempts of a webhook. */
interface Filter {
  readonly versionKey?: string;
  readonly status?: AttemptDocument['status'];
  readonly recorded?: { readonly $gt: Date };
  readonly eventId?: { readonly $nin: readonly string[] };
}

/** All webhooks have these attempts. */
function isMatch(attempt: AttemptDocument, { versionKey, status, recorded, eventId }: Filter): boolean {
  return (
    attempt.versionKey.split('/')[1] === versionKey?.split('/')[1] &&
    attempt.status === status &&
    attempt.recorded > (recorded?.$gt ?? new Date(0)) &&
    eventId?.$nin.includes(attempt.eventId) !== true
  );
}

/** A wait for the model. */
interface Read {
  readonly topic: string;
  readonly offsets: readonly (readonly [number, number])[];
  readonly timeoutMs: number;
}

interface Process extends AutoDisable {
  /** The webhooks that were disabled, the models that were waited for, and the log lines. */
  readonly disabled: string[];
  readonly reads: Read[];
  readonly lines: unknown[];
}

interface Stored {
  /** The attempts that the model contains, oldest first. */
  readonly attempts?: readonly AttemptDocument[];
  readonly isBehind?: boolean;
  readonly isEnabledMeanwhile?: boolean;
  /** Called when the command that disables the webhook has its lease, before it decides. */
  readonly onLease?: (process: AutoDisable) => void;
  /** Resolves when the brokers may answer. */
  readonly brokersAnswered?: Promise<unknown>;
  /** Resolves when the model may answer. */
  readonly answered?: Promise<unknown>;
}

const ofTwoEvents = [attemptAt(0, 2), attemptAt(50, 3)];

function openProcess(stored: Stored = {}): Process {
  const { attempts = ofTwoEvents, isBehind, isEnabledMeanwhile, onLease, answered, brokersAnswered } = stored;
  const disabled: string[] = [];
  const reads: Read[] = [];
  const lines: unknown[] = [];
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  logger.warn = (...line: readonly unknown[]) => void lines.push(line);
  const autoDisable: AutoDisable = createAutoDisable({
    failingAfterMs,
    models: {
      attempts: {
        findPage: async ({ ranges }) => {
          await answered;
          return ranges.flatMap(({ filter, sort }) => {
            const found = attempts.filter((attempt) => isMatch(attempt, filter));
            return sort['recorded'] === 1 ? found.slice(0, 1) : found.slice(-1);
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
    offsets: {
      ends: async (topic) => {
        await brokersAnswered;
        return topic === 'deliveries' ? [7, 9] : [];
      },
    },
    disableWebhook: {
      failing: async ({ id }, isStillFailing) => {
        onLease?.(autoDisable);
        if (await isStillFailing()) {
          disabled.push(id);
          return isEnabledMeanwhile !== true;
        }
        return false;
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

/** Whether the attempts up to the latest failure disable the webhook, by the rule of the API. */
function isExpected(attempts: readonly AttemptDocument[], latest: Failure): boolean {
  const ofVersion = attempts.filter(({ versionKey }) => versionKey === versionKeyOf(enabled));
  const lastSuccess = ofVersion.findLast(({ status }) => status === 'succeeded')?.recorded ?? new Date(0);
  const [first, ...others] = ofVersion.filter(({ recorded }) => recorded > lastSuccess);
  if (first === undefined || latest.at.getTime() - first.created.getTime() < failingAfterMs) {
    return false;
  }
  const recent = others.filter(({ recorded }) => latest.at.getTime() - recorded.getTime() < failingAfterMs);
  const events = new Set([first, ...recent, latest].map(({ eventId }) => eventId));
  return latest.isExhausted || events.size > 2;
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
    // The command that disables the webhook decides again.
    const read = { topic: 'deliveries', offsets };
    expect(reads.map(({ topic, offsets: awaited }) => ({ topic, offsets: awaited }))).to.deep.equal([
      read,
      read,
    ]);
  });

  it('gives the brokers and the read model one deadline', async () => {
    const { reads } = await afterFailures({ brokersAnswered: pause(50) }, 100);
    // A timer may fire a millisecond early.
    expect(reads[0]?.timeoutMs).to.be.at.most(4951);
  });

  it('disables no webhook while the read model is behind, and reports it', async () => {
    const { disabled, lines } = await afterFailures({ isBehind: true }, 100);
    expect(disabled).to.deep.equal([]);
    const error = 'the read model "attempts" is behind the log';
    const message = 'cannot read the failure history of the webhook';
    expect(lines).to.deep.equal([[{ webhookId: enabled.id, error }, message]]);
  });

  it('disables no webhook of which only two events have failed', async () => {
    const { disabled } = await afterFailures({ attempts: [attemptAt(0, 2), attemptAt(50, 1)] }, 100);
    expect(disabled).to.deep.equal([]);
  });

  /** The number of disablings after one failure long after three others. */
  const afterPause = async (isExhausted: boolean) => {
    const attempts = [attemptAt(0, 2), attemptAt(1, 3), attemptAt(2, 4)];
    const process = openProcess({ attempts });
    process.notice(enabled, failureAt(5000, 1, isExhausted));
    await process.stop();
    return process.disabled.length;
  };

  it('disables no webhook for one failure after a long pause, until the schedule of its event is exhausted', async () => {
    expect([await afterPause(false), await afterPause(true)]).to.deep.equal([0, 1]);
  });

  it('disables no webhook for failures of its earlier URL', async () => {
    const attempts = [attemptAt(0, 2, failed, 0), attemptAt(1, 3, failed, 0), attemptAt(90, 4)];
    expect((await afterFailures({ attempts }, 189)).disabled).to.deep.equal([]);
  });

  it('disables no webhook of which an attempt has succeeded while the command waited for its lease', async () => {
    const { disabled } = await afterFailures({ onLease: ({ succeeded: notice }) => notice(enabled.id) }, 100);
    expect(disabled).to.deep.equal([]);
  });

  it('disables no webhook whose success the model contains only when the command decides', async () => {
    const attempts = [...ofTwoEvents];
    const onLease = () => void attempts.push(attemptAt(99, 1, succeeded));
    expect((await afterFailures({ attempts, onLease }, 100)).disabled).to.deep.equal([]);
  });

  it('disables a webhook exactly if all its attempts since a failure that long ago have failed', async () => {
    const anyAttempts = fc
      .array(
        fc.record({
          second: fc.integer({ min: 0, max: 250 }),
          event: fc.integer({ min: 1, max: 4 }),
          outcome: fc.constantFrom(failed, failed, failed, failed, succeeded),
          version: fc.constantFrom(0, 1, 1),
        }),
        { maxLength: 8 },
      )
      .map((made) => made.toSorted((one, other) => one.second - other.second));
    await fc.assert(
      fc.asyncProperty(anyAttempts, fc.boolean(), async (made, isExhausted) => {
        const latest = failureAt(250, 1, isExhausted);
        const attempts = made.map(({ second, event, outcome, version }) =>
          attemptAt(second, event, outcome, version),
        );
        const process = openProcess({ attempts });
        process.notice(enabled, latest);
        await process.stop();

        expect(process.disabled.length === 1).to.equal(isExpected(attempts, latest));
      }),
    );
  });

  it('counts from the last success', async () => {
    const attempts = [attemptAt(0, 2), attemptAt(10, 2, succeeded), attemptAt(20, 2), attemptAt(30, 3)];
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
    const { reads } = await afterFailures({ attempts: [] }, 100, 101, 109, 110, 111, 120);
    expect(reads).to.have.lengthOf(3);
  });

  it('checks a webhook also in that interval if a schedule is exhausted', async () => {
    const process = openProcess({ attempts: [] });
    for (const isExhausted of [false, false, true, true]) {
      process.notice(enabled, failureAt(101, 1, isExhausted));
      await process.stop();
    }
    expect(process.reads).to.have.lengthOf(2);
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
