import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { startChild, type ChildHost, type ChildProcess } from '../processes/childProcess.js';
import { acceptedCountRequest, loadReportSchema, type LoadPlan, type LoadReport } from './plans.js';

/** The process that posts events, as the benchmark sees it. */
export interface LoadGenerator {
  /** @throws Error with the answers that were not 201, if too few were: figures of rejected events mean nothing */
  readonly run: (plan: LoadPlan) => Promise<LoadReport>;
  /** The number of events that a running fault-tolerant loop has got accepted so far. */
  readonly accepted: () => Promise<number>;
  readonly process: ChildProcess;
}

export async function startLoadGenerator(host: ChildHost): Promise<LoadGenerator> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const process = await startChild({ name: 'load', program }, host);
  return {
    run: async (plan) => {
      const report = await process.request(plan, loadReportSchema);
      const wanted = plan.loop === 'faultTolerant' ? plan.accepted : plan.count;
      if (report.accepted !== wanted) {
        const outcomes = Object.entries(report.refused).map(
          ([outcome, times]) => `${outcome} (${times} times)`,
        );
        throw new Error(`Of ${wanted} events ${report.accepted} were accepted: ${outcomes.join(', ')}`);
      }
      return report;
    },
    accepted: () => process.request(acceptedCountRequest, z.int()),
    process,
  };
}
