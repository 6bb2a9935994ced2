import { noiseOf, noiseText } from './noise.js';
import type { Report } from './result.js';
import type { ScenarioDescription } from './scenarioDescription.js';
import { summarize } from './summary.js';
import { renderTables, renderTargets } from './tables.js';
import { judge } from './targets.js';

/** Tables of all figures, the noise, failures, and the targets, which mean nothing for a quick run or next to an earlier version. */
export function reportText(report: Report, scenarios: readonly ScenarioDescription[]): string {
  const { quick, against, results, failures } = report;
  const summaries = summarize(results);
  const judged = summaries.map(({ scenario, rows }) => ({
    scenario,
    targets: judge(scenarios.find(({ name }) => name === scenario)?.targets ?? [], rows),
  }));
  return [
    renderTables(summaries, against === null ? 'bare' : 'earlier'),
    ...(quick || against !== null ? [] : [renderTargets(judged)]),
    ...summaries.flatMap(({ scenario }) => {
      const noise = noiseOf(results.filter((result) => result.scenario === scenario));
      return noise === null ? [] : [`${scenario}: ${noiseText(noise)}`];
    }),
    ...failures.map(({ scenario, start, reason }) => `FAILED: ${scenario}, start ${start}: ${reason}`),
  ].join('\n\n');
}
