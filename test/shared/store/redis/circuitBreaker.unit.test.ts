import { expect } from 'chai';

import { createCircuitBreaker } from '../../../../shared/store/redis/circuitBreaker.js';
import { recordingLogger } from './connections.js';

/** A breaker that skips after three failures and probes once a second, with a manual clock. */
function testBreaker() {
  const clock = { time: 5000 };
  const logger = recordingLogger();
  const breaker = createCircuitBreaker({
    failuresToSkip: 3,
    probeIntervalMs: 1000,
    now: () => clock.time,
    logger,
    skipping: 'it is skipped',
  });
  const fail = (times: number) => {
    for (let failed = 0; failed < times; failed += 1) {
      breaker.failed('no answer');
    }
  };
  return { breaker, clock, fail, lines: logger.lines };
}

describe('The circuit breaker of Redis', () => {
  it('asks after fewer failures in a row than its limit', () => {
    const { breaker, fail } = testBreaker();
    fail(2);
    expect(breaker.allows()).to.equal(true);
  });

  it('skips after failures in a row', () => {
    const { breaker, fail } = testBreaker();
    fail(3);
    expect(breaker.allows()).to.equal(false);
  });

  it('asks if an answer separates the failures', () => {
    const { breaker, fail } = testBreaker();
    fail(2);
    breaker.answered();
    fail(2);
    expect(breaker.allows()).to.equal(true);
  });

  it('skips until the interval has passed', () => {
    const { breaker, clock, fail } = testBreaker();
    fail(3);
    clock.time += 999;
    expect(breaker.allows()).to.equal(false);
  });

  it('probes with one request once the interval has passed', () => {
    const { breaker, clock, fail } = testBreaker();
    fail(3);
    clock.time += 1000;
    expect([breaker.allows(), breaker.allows()]).to.deep.equal([true, false]);
  });

  it('probes once an interval while the probes fail', () => {
    const { breaker, clock, fail } = testBreaker();
    fail(3);
    const probes = Array.from({ length: 40 }, () => {
      clock.time += 100;
      const isProbe = breaker.allows();
      fail(isProbe ? 1 : 0);
      return isProbe;
    });
    expect(probes.filter((isProbe) => isProbe)).to.have.length(4);
  });

  it('asks again once a probe was answered', () => {
    const { breaker, clock, fail } = testBreaker();
    fail(3);
    clock.time += 1000;
    breaker.allows();
    breaker.answered();
    expect([breaker.allows(), breaker.allows()]).to.deep.equal([true, true]);
  });

  it('logs one line when it starts to skip, and one when it asks again', () => {
    const { breaker, fail, lines } = testBreaker();
    fail(10);
    breaker.answered();
    breaker.answered();
    expect(lines.map((line) => line.split(':')[0])).to.deep.equal(['warn', 'info']);
  });
});
