import { expect } from 'chai';

import { latencyFigures, throughputFigures, usageFigures } from '../../../bench/measure/figures.js';
import type { DeliveredLoad, PipelineUsage } from '../../../bench/scenarios/scenario.js';

/** Four events, one each 100 ms, of which the last answer comes after 500 ms; two webhooks get them. */
const delivered: DeliveredLoad = {
  report: { startedAt: Float64Array.of(1000, 1100, 1200, 1300), endedAt: 1500, accepted: 4, refused: {} },
  arrivals: [
    { arrivedAt: Float64Array.of(1010, 1120, 1230, 2000), repeated: 0 },
    { arrivedAt: Float64Array.of(1010, 1110, 1950, 1310), repeated: 0 },
  ],
};

function usageOf(api: number, kafka: number): PipelineUsage {
  return {
    own: new Map([
      ['api', { cpuMs: api, peakMemoryBytes: 50e6 }],
      ['delivery', { cpuMs: 2 * api, peakMemoryBytes: 70e6 }],
    ]),
    servers: new Map([['Kafka', { cpuMs: kafka, peakMemoryBytes: 400e6 }]]),
  };
}

describe('figures', () => {
  it('of throughput go to the last answer and to the last arrival', () => {
    expect(throughputFigures(delivered).map(({ value }) => value)).to.deep.equal([8, 4]);
  });

  it('of latency are over all webhooks', () => {
    const [, p99] = latencyFigures(delivered, 'post');
    expect(p99?.value).to.be.closeTo(750, 1);
  });

  it('of processor time are what was used between two moments, for each event', () => {
    const figures = usageFigures(usageOf(100, 500), usageOf(300, 600), 100);
    expect(figures.map(({ name, value }) => [name, value])).to.deep.equal([
      ['CPU an event, own processes', 6],
      ['  api', 2],
      ['  delivery', 4],
      ['CPU an event, servers', 1],
      ['  Kafka', 1],
      ['peak memory, own processes', 120],
    ]);
  });
});
