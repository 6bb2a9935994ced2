import { expect } from 'chai';

import type { Measured } from '../../bench/measurement.js';
import {
  collect,
  type CollectOptions,
  type Collected,
  type PlannedMeasurement,
} from '../../bench/collect.js';

const measured = (value: number): readonly Measured[] => [
  {
    ...{ pipeline: 'service', pair: 1, repeats: 0, series: [], flameGraph: [], othersShare: 0 },
    figures: [{ name: 'accepted', unit: '/s', value }],
  },
];

const succeeding = (scenario: string, value: number): PlannedMeasurement => ({
  ...{ scenario, start: 1 },
  measure: () => Promise.resolve(measured(value)),
});

const failing = (scenario: string): PlannedMeasurement => ({
  ...succeeding(scenario, 0),
  measure: () => Promise.reject(new Error('its receiver is gone')),
});

const collectAll = (planned: readonly PlannedMeasurement[], options: Partial<CollectOptions> = {}) =>
  collect(planned, {
    commit: null,
    onProgress: () => undefined,
    onMeasured: () => Promise.resolve(),
    onFailure: () => Promise.resolve(),
    signal: new AbortController().signal,
    ...options,
  });

const scenariosOf = ({ results, failures }: Collected) => ({
  results: results.map(({ scenario }) => scenario),
  failures: failures.map(({ scenario, reason }) => [scenario, reason]),
});

describe('what the benchmark collects', () => {
  it('has the scenarios after one that failed, and why it did', async () => {
    const collected = await collectAll([succeeding('five', 1), failing('kill'), succeeding('idle', 2)]);
    expect(scenariosOf(collected)).to.deep.equal({
      results: ['five', 'idle'],
      failures: [['kill', 'its receiver is gone']],
    });
  });

  it('starts again after a failure, before the next measurement', async () => {
    const order: string[] = [];
    const next = {
      ...succeeding('idle', 2),
      measure: () => {
        order.push('idle');
        return Promise.resolve(measured(2));
      },
    };
    const onFailure = () => {
      order.push('anew');
      return Promise.resolve();
    };
    await collectAll([failing('kill'), next], { onFailure });
    expect(order).to.deep.equal(['anew', 'idle']);
  });

  it('is told after each measurement, whatever becomes of the next', async () => {
    const told: number[] = [];
    const onMeasured = ({ results, failures }: Collected) => {
      told.push(results.length + failures.length);
      return Promise.resolve();
    };
    await collectAll([succeeding('five', 1), failing('kill'), succeeding('idle', 2)], { onMeasured });
    expect(told).to.deep.equal([1, 2, 3]);
  });

  it('has no failure if it was interrupted, and nothing after it', async () => {
    const stopping = new AbortController();
    const interrupted = {
      ...failing('kill'),
      measure: () => {
        stopping.abort();
        return Promise.reject(new Error('stopped'));
      },
    };
    const collected = await collectAll([succeeding('five', 1), interrupted, succeeding('idle', 2)], {
      signal: stopping.signal,
    });
    expect(scenariosOf(collected)).to.deep.equal({ results: ['five'], failures: [] });
  });
});
