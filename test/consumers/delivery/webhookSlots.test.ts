import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';
import fc from 'fast-check';

import { createWebhookSlots, type WebhookSlots } from '../../../consumers/delivery/webhookSlots.js';

interface RunningAttempt {
  readonly name: string;
  readonly end: (error?: Error) => void;
}

/** Attempts that go on until they are told to end. */
function startedThrough(slots: WebhookSlots) {
  const inFlight: RunningAttempt[] = [];
  const started: string[] = [];
  const run = (webhookId: string, name: string) =>
    slots.run(
      webhookId,
      () =>
        new Promise<string>((resolve, reject) => {
          started.push(name);
          const attempt: RunningAttempt = {
            name,
            end: (error) => {
              inFlight.splice(inFlight.indexOf(attempt), 1);
              if (error === undefined) {
                resolve(name);
              } else {
                reject(error);
              }
            },
          };
          inFlight.push(attempt);
        }),
    );
  return { inFlight, started, run };
}

describe('webhook slots', () => {
  it('run at once what is within the limit', () => {
    const { started, run } = startedThrough(createWebhookSlots(2));
    void run('wh_1', 'a');
    void run('wh_1', 'b');

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('give what the attempt gives', async () => {
    expect(await createWebhookSlots(1).run('wh_1', () => Promise.resolve('outcome'))).to.equal('outcome');
  });

  it('let what is beyond the limit wait', async () => {
    const { started, run } = startedThrough(createWebhookSlots(2));
    ['a', 'b', 'c'].forEach((name) => void run('wh_1', name));
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('run what waits in its order, one for each that ends', async () => {
    const { inFlight, started, run } = startedThrough(createWebhookSlots(2));
    ['a', 'b', 'c', 'd', 'e'].forEach((name) => void run('wh_1', name));
    inFlight.at(1)?.end();
    await endOfTurn();
    inFlight.at(0)?.end();
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('do not let a webhook that hangs hold back another', async () => {
    const { started, run } = startedThrough(createWebhookSlots(1));
    void run('wh_1', 'a');
    void run('wh_1', 'b');
    void run('wh_2', 'c');
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'c']);
  });

  it('free the slot of an attempt that throws', async () => {
    const { inFlight, started, run } = startedThrough(createWebhookSlots(1));
    const failing = run('wh_1', 'a').catch(String);
    void run('wh_1', 'b');
    inFlight.at(0)?.end(new Error('away'));
    await failing;
    await endOfTurn();

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('pass the error of an attempt on to its caller', async () => {
    const error = new Error('away');
    const failure = await createWebhookSlots(1)
      .run('wh_1', () => Promise.reject(error))
      .catch((caught: unknown) => caught);

    expect(failure).to.equal(error);
  });

  it('begin anew once nothing is in flight', async () => {
    const { inFlight, started, run } = startedThrough(createWebhookSlots(1));
    void run('wh_1', 'a');
    inFlight.at(0)?.end();
    await endOfTurn();
    void run('wh_1', 'b');

    expect(started).to.deep.equal(['a', 'b']);
  });

  it('never run more than the limit, and run all in their order, whatever ends when', async () => {
    const anyEnds = fc.array(fc.nat(10), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.nat(12), anyEnds, async (limit, count, ends) => {
        const { inFlight, started, run } = startedThrough(createWebhookSlots(limit));
        const names = Array.from({ length: count }, (_, index) => String(index));
        const all = names.map((name) => run('wh_1', name));
        let most = inFlight.length;
        for (let turn = 0; inFlight.length > 0; turn += 1) {
          inFlight.at((ends[turn] ?? 0) % inFlight.length)?.end();
          await endOfTurn();
          most = Math.max(most, inFlight.length);
        }

        expect({ started, most, results: await Promise.all(all) }).to.deep.equal({
          started: names,
          most: Math.min(limit, count),
          results: names,
        });
      }),
    );
  });
});
