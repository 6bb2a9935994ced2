import { expect } from 'chai';

import { mergeReports } from '../../../bench/results/readReports.js';
import { reportOf, resultOf } from './reports.js';

const valuesOf = (report: ReturnType<typeof mergeReports>) =>
  report.results.map(({ scenario, figures }) => [scenario, figures[0]?.value]);

describe('reports that are merged', () => {
  it('have the scenarios of all', () => {
    const merged = mergeReports([
      reportOf([resultOf('service', { value: 1, scenario: 'five' })]),
      reportOf([resultOf('service', { value: 2, scenario: 'idle' })]),
    ]);
    expect(valuesOf(merged)).to.deep.equal([
      ['five', 1],
      ['idle', 2],
    ]);
  });

  it('have only the blocks of the last one if several have a scenario', () => {
    const merged = mergeReports([
      reportOf([resultOf('service', { value: 1 }), resultOf('service', { value: 2, pair: 2 })]),
      reportOf([resultOf('service', { value: 3 })]),
    ]);
    expect(valuesOf(merged)).to.deep.equal([['throughput', 3]]);
  });

  it('forget a failure that was followed by a success, and a success that was followed by a failure', () => {
    const origin = {
      start: 1,
      measuredAt: '2026-11-21T19:00:00.000Z',
      commit: null,
    } as const;
    const failed = (scenario: string) => ({ ...origin, scenario, reason: 'gone' });
    const merged = mergeReports([
      reportOf([resultOf('service', { value: 1, scenario: 'kill' })], { failures: [failed('idle')] }),
      reportOf([resultOf('service', { value: 2, scenario: 'idle' })], { failures: [failed('kill')] }),
    ]);
    expect([valuesOf(merged), merged.failures.map(({ scenario }) => scenario)]).to.deep.equal([
      [['idle', 2]],
      ['kill'],
    ]);
  });

  it('are quick where any of them is', () => {
    expect(mergeReports([reportOf([]), reportOf([], { quick: true })]).quick).to.equal(true);
  });

  it('are of one machine, even if it has a little less memory after a restart', () => {
    const { machine } = reportOf([]);
    const { memoryBytes } = machine;
    const restarted = reportOf([], { machine: { ...machine, memoryBytes: memoryBytes - 4096 } });
    expect(mergeReports([reportOf([]), restarted]).machine.memoryBytes).to.equal(memoryBytes);
  });

  it('are rejected if they were compared with different versions', () => {
    const others = [reportOf([]), reportOf([], { against: 'main~3' })] as const;
    expect(() => mergeReports(others)).to.throw('different references');
  });

  it('are rejected if they are of different machines', () => {
    const { machine } = reportOf([]);
    const others = [reportOf([]), reportOf([], { machine: { ...machine, cores: 64 } })] as const;
    expect(() => mergeReports(others)).to.throw('different machines');
  });
});
