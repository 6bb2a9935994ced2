import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createAttemptAdmission } from '../../../consumers/fairness/attemptAdmission.js';
import { createAttemptSlots } from '../../../consumers/fairness/attemptSlots.js';
import { slotSettings } from '../../../consumers/fairness/slotPools.js';
import type { AttemptOwner } from '../../../consumers/latency/attemptClasses.js';
import { createLatencyTracker } from '../../../consumers/latency/latencyTracker.js';
import { eventually } from '../../support/eventually.js';

/** The interval at which an attempt that waits checks its time. */
const checkMs = 20;
const owner = { accountId: 'acct_1', webhookId: 'wh_1' };
const first = { isFirst: true, isOverShare: false };
const returning = { isFirst: false, isOverShare: false };
const released = { isFirst: false, isOverShare: false, isRelease: true };

/** Ends the waits of a test, because their timers would keep the process alive. */
let testEnd = new AbortController();
afterEach(() => {
  testEnd.abort();
  testEnd = new AbortController();
});

/** An admission with a clock that only the test advances. Attempts run until the test ends them. */
function turnsOf(webhookConcurrency: number, attemptSlots = 1000) {
  let time = 1_000_000;
  let busyMs = 0;
  const now = () => time;
  const tracker = createLatencyTracker({ now, idleMs: () => time - busyMs });
  const slots = createAttemptSlots({
    ...{ webhookConcurrency, tracker, slots: slotSettings(attemptSlots), now, checkMs },
  });
  const admission = createAttemptAdmission({ slots, tracker, webhookConcurrency });
  const endings: ((isAnswer: boolean) => void)[] = [];
  const counts = { begun: 0, parked: 0 };
  const attempt = ({ webhookId }: AttemptOwner) =>
    tracker.timed(
      webhookId,
      () => {
        counts.begun += 1;
        return new Promise<boolean>((resolve) => endings.push(resolve));
      },
      (isAnswer) => isAnswer,
    );
  const come = async (approach: typeof first, signal = testEnd.signal, of: AttemptOwner = owner) => {
    const slot = await admission.admit(of, approach, signal);
    if (typeof slot === 'string') {
      counts.parked += slot === 'busy' ? 1 : 0;
      return slot;
    }
    await attempt(of).finally(slot.release);
    return 'attempted';
  };
  return {
    come,
    counts,
    /** Requests the admission of this number of deliveries at the same time. */
    crowdIn: async (count: number, approach = first) => {
      for (let job = 0; job < count; job += 1) {
        void come(approach);
      }
      await endOfTurn();
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    /** Advances the clock while this process is busy. */
    work: (milliseconds: number) => {
      time += milliseconds;
      busyMs += milliseconds;
    },
    /** Makes the latency of a webhook known. */
    answer: (webhookId: string, durationMs: number) =>
      tracker.timed(webhookId, () => {
        time += durationMs;
        return Promise.resolve();
      }),
    /** Ends all attempts in flight, by default with an answer. */
    endAll: async (isAnswer = true) => {
      endings.splice(0).forEach((end) => end(isAnswer));
      await endOfTurn();
    },
  };
}

describe('the admission of attempts', () => {
  it('runs an attempt at once if a slot is free, even for a slow webhook', async () => {
    const { come, counts, pass } = turnsOf(2);
    void come(first);
    await endOfTurn();
    pass(60_000);
    void come(first);
    await endOfTurn();

    expect(counts).to.deep.equal({ begun: 2, parked: 0 });
  });

  it('parks no attempt of a burst of 100 for a new webhook', async () => {
    const { counts, crowdIn } = turnsOf(25);
    await crowdIn(100);

    expect(counts).to.deep.equal({ begun: 25, parked: 0 });
  });

  it('parks few attempts of a backlog of 1,000 for a new webhook that answers', async () => {
    const { counts, crowdIn, endAll } = turnsOf(25);
    await crowdIn(1000);
    await endAll();

    expect(counts.parked).to.be.at.most(20);
  });

  it('parks the rest of a backlog for a new webhook that does not answer for two seconds', async () => {
    const { counts, crowdIn } = turnsOf(25);
    await crowdIn(1000);

    // The default estimate of 250 ms makes 10 ms for each delivery. So 500 may wait, and 25 have a slot.
    await eventually('parked attempts', () => (counts.parked === 475 ? true : null));
    expect(counts.begun).to.equal(25);
  });

  it('neither runs nor parks an attempt whose partition was lost during the wait for the first latency', async () => {
    const { come, crowdIn, endAll } = turnsOf(25);
    const lost = new AbortController();
    await crowdIn(600);
    const turn = come(first, lost.signal);
    lost.abort();
    await endAll();

    expect(await turn).to.equal('aborted');
  });

  for (const [kind, approach] of Object.entries({ 'a first attempt': first, 'a retry': returning })) {
    it(`parks ${kind} that would wait longer than 5 s`, async () => {
      const { counts, crowdIn, pass, endAll } = turnsOf(25);
      await crowdIn(25);
      pass(2000);
      await endAll();
      await crowdIn(25);
      pass(1000);
      await crowdIn(100, approach);

      // The mean exchange takes 1.93 s. By 25 slots that is 77 ms for each delivery, so 64 may wait.
      expect(counts).to.deep.equal({ begun: 50, parked: 36 });
    });

    it(`parks ${kind} that would wait for a webhook that has begun to hang`, async () => {
      const { counts, crowdIn, pass } = turnsOf(25);
      await crowdIn(25);
      pass(2001);
      await crowdIn(50, approach);

      expect(counts).to.deep.equal({ begun: 25, parked: 50 });
    });
  }

  it('parks the attempts that already wait when their webhook begins to hang, but no released ones', async () => {
    const { counts, crowdIn, pass } = turnsOf(25);
    await crowdIn(25);
    await crowdIn(50);
    await crowdIn(10, released);
    pass(2001);

    await eventually('parked attempts', () => (counts.parked > 0 ? true : null));
    await endOfTurn();
    expect(counts).to.deep.equal({ begun: 25, parked: 50 });
  });

  for (const [state, passTime] of [
    ['idle', 'pass'],
    ['busy', 'work'],
  ] as const) {
    it(`gives a webhook that hangs two attempts at a time until it answers, in a process that is ${state}`, async () => {
      const turns = turnsOf(25);
      const { answer, counts, crowdIn, endAll } = turns;
      await answer(owner.webhookId, 10);
      await crowdIn(10);
      const ofRounds: number[] = [counts.begun];
      for (const origin of [first, returning, first]) {
        turns[passTime](15_000);
        await crowdIn(25, origin);
        ofRounds.push(counts.begun);
        await endAll(false);
      }
      await crowdIn(25, returning);
      ofRounds.push(counts.begun);
      await endAll();
      await crowdIn(25);

      // No attempt begins while ten are in flight. Then two begin at a time, and all of them after an answer.
      expect([ofRounds, counts]).to.deep.equal([[10, 10, 12, 14, 16], { begun: 41, parked: 94 }]);
    });
  }

  it('parks an attempt of an account over its share, even if its webhook is free', async () => {
    const { come } = turnsOf(25);

    expect(await come({ isFirst: true, isOverShare: true })).to.equal('busy');
  });

  it('neither runs nor parks an attempt whose partition was lost', async () => {
    const { come } = turnsOf(25);

    expect(await come({ isFirst: true, isOverShare: true }, AbortSignal.abort())).to.equal('aborted');
  });

  it('parks no attempt after a webhook that hung has answered several times', async () => {
    const { counts, crowdIn, pass, endAll } = turnsOf(25);
    await crowdIn(25);
    pass(15_000);
    await endAll();
    for (let round = 0; round < 6; round += 1) {
      await crowdIn(25);
      pass(50);
      await endAll();
    }
    await crowdIn(100);

    expect(counts.parked).to.equal(0);
  });

  it('lets an attempt of the backlog wait, because only few of them are loaded', async () => {
    const { counts, crowdIn, pass } = turnsOf(25);
    await crowdIn(25);
    pass(10_000);
    await crowdIn(50, released);

    expect(counts).to.deep.equal({ begun: 25, parked: 0 });
  });

  it('gives a test delivery its turn among the attempts of a backlog, however many follow', async () => {
    const { come, crowdIn, endAll } = turnsOf(1);
    await crowdIn(2, released);
    let hasBegun = false;
    void come(first, undefined, { ...owner, trigger: 'test' }).then(() => {
      hasBegun = true;
    });
    for (let round = 0; round < 4; round += 1) {
      await crowdIn(1, released);
      await endAll();
    }

    expect(hasBegun).to.equal(true);
  });
});

describe('the admission of attempts while others occupy the slots of a class', () => {
  /** Webhooks of separate accounts. */
  const owners = (count: number, kind: string): readonly AttemptOwner[] =>
    Array.from({ length: count }, (_, index) => ({
      accountId: `acct_${kind}_${index}`,
      webhookId: `wh_${kind}_${index}`,
    }));

  /** The attempts of slow webhooks that are parked. Ten attempts hold the slots of the class for three seconds each. */
  const parkedOfSlow = async (isBusy: boolean) => {
    const { answer, come, counts, endAll, pass, work } = turnsOf(4, 16);
    const passOrWork = isBusy ? work : pass;
    const holders = owners(10, 'holder');
    const others = owners(60, 'other');
    for (const { webhookId } of [...holders, ...others]) {
      await answer(webhookId, 10_000);
    }
    const hold = async () => {
      holders.forEach((holder) => void come(first, undefined, holder));
      await endOfTurn();
    };
    for (let round = 0; round < 5; round += 1) {
      await hold();
      pass(1_100);
      passOrWork(1_900);
      await endAll();
    }
    await hold();
    others.forEach((other) => void come(first, undefined, other));
    await endOfTurn();
    return counts.parked;
  };

  it('expects the wait that the attempts of slow webhooks feel, also if this process is busy', async () => {
    const whenIdle = await parkedOfSlow(false);

    // By ten slots, an attempt waits 0.3 s for each one ahead, so 16 may wait.
    expect([whenIdle, await parkedOfSlow(true)]).to.deep.equal([44, 44]);
  });

  it('lets the attempt of a webhook that answers wait for its turn, however long others occupy the slots', async () => {
    const { answer, come, counts, work, endAll } = turnsOf(4, 16);
    const all = owners(30, 'quick');
    for (const { webhookId } of all) {
      await answer(webhookId, 10);
    }
    all.slice(0, 20).forEach((other) => void come(first, undefined, other));
    await endOfTurn();
    work(20_000);
    const waiting = all.slice(20).map((other) => come(first, undefined, other));
    await endOfTurn();
    work(20_000);
    await pause(5 * checkMs);
    const { parked } = counts;
    for (let round = 0; round < 10; round += 1) {
      await endAll();
    }

    expect([parked, await Promise.all(waiting)]).to.deep.equal([0, waiting.map(() => 'attempted')]);
  });

  it('parks an attempt that has waited for its own webhook for 15 s, even if the process was busy', async () => {
    const { answer, crowdIn, counts, work, endAll } = turnsOf(1, 16);
    await answer(owner.webhookId, 10);
    await crowdIn(2);
    for (let round = 0; round < 8; round += 1) {
      // Each attempt of the backlog goes before the attempt that waits.
      await crowdIn(1, released);
      work(1_900);
      await endAll();
    }
    await eventually('a parked attempt', () => (counts.parked > 0 ? true : null));

    expect(counts.parked).to.equal(1);
  });
});
