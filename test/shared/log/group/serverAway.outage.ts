import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createReleasers, type Releasers } from '../../../../shared/runtime/lifecycle.js';
import { createLogger } from '../../../../shared/core/logger.js';
import type { ServerHandle } from '../../../../stack/processes/serverProcess.js';
import { startTestBroker } from '../../../support/broker.js';
import { eventually } from '../../../support/eventually.js';
import { openTestLog } from '../../../support/log.js';
import { boundsOf } from '../window/bounds.js';
import { committedOffsets, endOffsets, startMember } from './member.js';
import { createSeeded } from './seeded.js';
import { positionOf } from '../window/workRecord.js';
import { startWriting } from '../producer/writing.js';

const awayMs = 8000;
const window = 20;
const partitions = 3;
/**
 * A broker reads its log again after a crash. A request to join the group that loses its response costs 20 s, and the
 * consumer may need several.
 */
const deadlineMs = 120_000;

interface Absence {
  /** The number of unfinished records when the broker became unavailable. */
  readonly unfinished: number;
  readonly inFlight: number;
  readonly awayMs: number;
  /** The number of acknowledgements in the middle of its absence. */
  readonly acknowledgedMeanwhile: number;
  readonly losses: readonly Error[];
  readonly notHandled: readonly string[];
  readonly committed: readonly number[];
  readonly ends: readonly number[];
}

/** Both ways at once, each with its own broker: most of it is waiting. */
const ways = {
  'is blocked': async ({ pause: stop, resume }: ServerHandle) => {
    stop();
    await pause(awayMs);
    resume();
  },
  'is killed and starts again': async ({ kill, restart }: ServerHandle) => {
    await kill();
    await pause(awayMs);
    await restart();
  },
};

describe('a broker that is unavailable for eight seconds', function () {
  this.timeout(300_000);

  const outcomes = new Map<string, Absence>();
  const opened: Releasers[] = [];

  before(async () => {
    await Promise.all(
      Object.entries(ways).map(async ([way, leave]) => {
        const releasers = createReleasers(createLogger({ role: 'test', level: 'warn', isTerminal: false }));
        opened.push(releasers);
        outcomes.set(way, await workThrough(leave, releasers));
      }),
    );
  });

  after(() => Promise.all(opened.map(({ releaseAll }) => releaseAll())));

  for (const way of Object.keys(ways)) {
    describe(`because it ${way}`, () => {
      const outcome = () => outcomes.get(way) ?? expect.fail('it was not tried');

      it('becomes unavailable while all windows are full and appends are in flight', () => {
        const { unfinished, inFlight } = outcome();
        expect([unfinished, inFlight > 0]).to.deep.equal([window * partitions, true]);
      });

      it('is unavailable for eight seconds', () => {
        expect([outcome().awayMs >= awayMs, outcome().acknowledgedMeanwhile]).to.deep.equal([true, 0]);
      });

      it('ends no consumer', () => {
        expect(outcome().losses).to.deep.equal([]);
      });

      it('costs no acknowledged record its work', () => {
        expect(outcome().notHandled).to.deep.equal([]);
      });

      it('is followed by the commit of all that is done', () => {
        expect(outcome().committed).to.deep.equal(outcome().ends);
      });
    });
  }
});

function createGate(): { readonly begun: Promise<void>; readonly begin: () => void } {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { begun, begin };
}

/** Writes and works on records while the broker leaves and comes back, and for a moment after that. */
async function workThrough(
  leave: (server: ServerHandle) => Promise<void>,
  opened: Releasers,
): Promise<Absence> {
  const broker = await startTestBroker();
  const log = await openTestLog({ KAFKA_BROKERS: broker.address, POSTRIDER_PARTITIONS: String(partitions) });
  const random = createSeeded(1);
  const handled = new Set<string>();
  const absence = createGate();
  let isHolding = false;
  const member = await startMember(log, {
    bounds: boundsOf(window),
    handle: async (record) => {
      if (isHolding) {
        await absence.begun;
        // Held records end at any moment of the absence, and some of them afterwards.
        await pause(awayMs * (0.3 + random()));
      }
      handled.add(positionOf(record));
      return 'done';
    },
  });
  opened.add('member', () => member.stop(1000));
  const writing = startWriting(log.producer, { callers: 10 });
  opened.add('writing', writing.stop);
  await eventually('work', () => (handled.size > 100 ? true : null));
  isHolding = true;
  await eventually('full windows', () => (member.unfinished() === window * partitions ? true : null));
  isHolding = false;
  absence.begin();

  const before = { unfinished: member.unfinished(), inFlight: writing.inFlight(), at: performance.now() };
  const leaving = leave(broker.server);
  // Answers that were on their way may still come.
  await pause(awayMs / 4);
  const acknowledged = writing.acknowledged.size;
  await pause(awayMs / 2);
  const acknowledgedMeanwhile = writing.acknowledged.size - acknowledged;
  await leaving;
  const wasAwayMs = performance.now() - before.at;

  await eventually(
    'new acknowledgements',
    () => (writing.acknowledged.size > acknowledged + 100 ? true : null),
    deadlineMs,
  );
  writing.stop();
  await writing.done;
  const ends = await endOffsets(log);
  const notHandled = () =>
    [...writing.acknowledged.values()].map(positionOf).filter((position) => !handled.has(position));
  // A consumer that has ended handles nothing more. The tests then say why it has ended.
  const hasEnded = () => member.losses.length > 0;
  await eventually('all records', () => (notHandled().length === 0 || hasEnded() ? true : null), deadlineMs);
  const committed = await eventually('the last commit', async () => {
    const offsets = await committedOffsets(log);
    return offsets.join() === ends.join() || hasEnded() ? offsets : null;
  });
  return {
    ...before,
    awayMs: wasAwayMs,
    acknowledgedMeanwhile,
    losses: member.losses,
    notHandled: notHandled(),
    committed,
    ends,
  };
}
