import { expect } from 'chai';

import { createMetrics } from '../../../shared/runtime/metrics.js';
import { eventually } from '../../support/eventually.js';

const secondMs = 1000;
const dayMs = 24 * 60 * 60 * secondMs;

async function attemptBuckets(attemptTimeoutMs: number): Promise<readonly number[]> {
  const text = await createMetrics({ attemptTimeoutMs }).text();
  const lines = [...text.matchAll(/^postrider_attempt_duration_seconds_bucket\{le="([\d.]+)"\}/gm)];
  return lines.map(([, limit]) => Number(limit));
}

describe('the histogram of attempt durations', () => {
  it('has a bucket beyond any attempt timeout', async () => {
    for (const timeoutMs of [100, 15 * secondMs, 60 * secondMs, 90 * secondMs, 3600 * secondMs, 24 * dayMs]) {
      expect(Math.max(...(await attemptBuckets(timeoutMs))) * secondMs).to.be.greaterThan(timeoutMs);
    }
  });

  it('has the same buckets up to a minute, whatever the timeout is', async () => {
    const common = await attemptBuckets(0);

    expect(await attemptBuckets(24 * dayMs)).to.include.members([...common]);
    expect(Math.max(...common)).to.equal(60);
  });
});

describe('the text of the metrics', () => {
  it('is rendered once for concurrent scrapes, and again for the next one', async () => {
    const metrics = createMetrics({ attemptTimeoutMs: secondMs });
    let collections = 0;
    metrics.onScrape(() => {
      collections += 1;
      metrics.replaysRunning.set(collections);
      return Promise.resolve();
    });
    const together = await Promise.all([metrics.text(), metrics.text(), metrics.text()]);
    const next = await metrics.text();
    const seen = [...together, next].map((text) => /^postrider_replays_running (\d+)$/m.exec(text)?.[1]);
    expect(seen).to.deep.equal(['1', '1', '1', '2']);
  });

  it('does not wait for an update that never ends', async () => {
    const metrics = createMetrics({ attemptTimeoutMs: secondMs, collectLimitMs: 50 });
    metrics.onScrape(() => new Promise(() => null));
    metrics.onScrape(() => {
      metrics.replaysRunning.set(7);
      return Promise.resolve();
    });
    expect(await valueOf('postrider_replays_running', metrics.text())).to.equal(7);
  });
});

async function valueOf(name: string, text: Promise<string>): Promise<number> {
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(await text)?.[1]);
}

describe('the metrics of the event loop', () => {
  it('count the active time of the event loop', async () => {
    const metrics = createMetrics();
    const active = () => valueOf('postrider_event_loop_active_seconds_total', metrics.text());
    const before = await active();
    await eventually('a second of work', async () => ((await active()) > before + 0.05 ? true : null));
  });

  it('include no statistics that the interval of their monitor distorts', async () => {
    const text = await createMetrics().text();
    expect(text.match(/^# TYPE nodejs_eventloop_lag_\S+/gm)).to.deep.equal([
      '# TYPE nodejs_eventloop_lag_seconds',
    ]);
  });
});
