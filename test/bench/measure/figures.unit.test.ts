import { expect } from 'chai';

import {
  idleFigures,
  latenciesOf,
  throughputFigures,
  usageFigures,
  windowsOf,
  type DeliveredLoad,
  type PipelineUsage,
} from '../../../bench/measure/figures.js';

/** Four events, one every 100 ms, to two webhooks. The last response comes after 500 ms. */
const delivered: DeliveredLoad = {
  report: {
    startedAt: Float64Array.of(1000, 1100, 1200, 1300),
    acceptedAt: Float64Array.of(1050, 1150, 1250, 1500),
    endedAt: 1500,
    accepted: 4,
    refused: {},
  },
  arrivals: [
    { arrivedAt: Float64Array.of(1010, 1120, 1230, 2000), repeated: 0 },
    { arrivedAt: Float64Array.of(1010, 1110, 1950, 1310), repeated: 0 },
  ],
};

function usageOf(api: number, kafka: number): PipelineUsage {
  return {
    own: new Map([
      ['api', { cpuMs: api, memoryBytes: 40e6, peakMemoryBytes: 50e6 }],
      ['delivery', { cpuMs: 2 * api, memoryBytes: 55e6, peakMemoryBytes: 70e6 }],
    ]),
    servers: new Map([['Kafka', { cpuMs: kafka, memoryBytes: 300e6, peakMemoryBytes: 400e6 }]]),
  };
}

describe('the figures of a measurement', () => {
  it('contain the latencies of each window, in the order of the posts', () => {
    const events = 80;
    const startedAt = Float64Array.from({ length: events }, (_, index) => index * 10);
    const latencyOf = (index: number) => (Math.floor(index / 10) + 1) * 100;
    const arrivedAt = startedAt.map((at, index) => at + latencyOf(index));
    const load = { report: { ...delivered.report, startedAt }, arrivals: [{ arrivedAt, repeated: 0 }] };
    const values = windowsOf(load).map((window) => latenciesOf(window).p50);
    expect(values.map((value) => Math.round(value / 10) * 10)).to.deep.equal([
      100, 200, 300, 400, 500, 600, 700, 800,
    ]);
  });

  it('measure throughput up to the last response and the last arrival, and count each webhook', () => {
    expect(throughputFigures(delivered)).to.deep.equal({
      accepted: 8,
      'delivered, until the last arrival': 4,
      'deliveries, until the last arrival': 8,
    });
  });

  it('measure latency over all webhooks', () => {
    expect(latenciesOf(delivered).p99).to.be.closeTo(750, 1);
  });

  it('divide the CPU time between two moments by the number of events', () => {
    expect(usageFigures(usageOf(100, 500), usageOf(300, 600), 100)).to.deep.equal({
      'CPU time of an event, all together': 7,
      'CPU time of an event, api': 2,
      'CPU time of an event, delivery': 4,
      'CPU time of an event, servers': 1,
      'memory after the drain': 95,
      'peak memory': 120,
    });
  });

  it('show the CPU time of an idle pipeline as a share of one core', () => {
    expect(idleFigures(usageOf(100, 500), usageOf(110, 600), 1000)).to.deep.equal({
      'CPU time when idle': 3,
      'CPU time when idle, servers': 10,
      'memory a minute after the drain': 95,
    });
  });
});
