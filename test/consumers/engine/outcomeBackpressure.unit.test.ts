import { expect } from 'chai';

import { createOutcomeBackpressure } from '../../../consumers/engine/outcomeBackpressure.js';

const never = new AbortController().signal;
const stalled = 3;
const prompt = 4;

interface Append {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

function createAppend(): Append {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

describe('the backpressure of outcomes', () => {
  it('lets an attempt keep its slot until its outcome is acknowledged', async () => {
    const { observe } = createOutcomeBackpressure();
    const append = createAppend();
    let isReturned = false;
    const observed = observe(prompt, append.ended).then(() => {
      isReturned = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isReturned).to.equal(false);
    append.end();
    await observed;
  });

  it('takes the slot back from an attempt whose partition acknowledges nothing', async () => {
    const { observe } = createOutcomeBackpressure(10);
    await observe(stalled, createAppend().ended);
  });

  it('begins no attempt of a stalled partition until its outcomes are acknowledged, and those of others at once', async () => {
    const { observe, whenPrompt } = createOutcomeBackpressure(10);
    const appends = [createAppend(), createAppend()];
    await Promise.all(appends.map(({ ended }) => observe(stalled, ended)));
    await whenPrompt(prompt, never);
    let isBegun = false;
    const begun = whenPrompt(stalled, never).then(() => {
      isBegun = true;
    });
    appends[0]?.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isBegun).to.equal(false);
    appends[1]?.end();
    await begun;
  });

  it('ends the wait for a stalled partition when the partition is lost', async () => {
    const { observe, whenPrompt } = createOutcomeBackpressure(10);
    await observe(stalled, createAppend().ended);
    const lost = new AbortController();
    const waiting = whenPrompt(stalled, lost.signal);
    lost.abort();
    await waiting;
  });

  it('fails if a stalled partition does not recover in time, so that the record is tried again', async () => {
    const { observe, whenPrompt } = createOutcomeBackpressure(10, 20);
    await observe(stalled, createAppend().ended);
    const error: unknown = await whenPrompt(stalled, never).catch((thrown: unknown) => thrown);
    expect(String(error)).to.equal(
      "UnavailableError: Kafka does not acknowledge outcomes in the event's partition",
    );
  });

  it('returns the slot of an attempt whose outcome was not appended', async () => {
    const { observe, whenPrompt } = createOutcomeBackpressure(10);
    await observe(stalled, Promise.reject(new Error('the fact cannot be encoded')));
    await whenPrompt(stalled, never);
  });
});
