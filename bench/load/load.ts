import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import { startChild, type ChildHost, type ChildProcess } from '../processes/childProcess.js';
import { howManyAccepted, loadReportSchema, type LoadPlan, type LoadReport } from './plans.js';

/** The process that posts events, as the benchmark sees it. */
export interface Load {
  /** @throws Error with the answers that were not 201, where too few were: figures of refused events mean nothing */
  readonly run: (plan: LoadPlan) => Promise<LoadReport>;
  /** How many events were accepted so far, of a stubborn loop that runs. */
  readonly accepted: () => Promise<number>;
  readonly process: ChildProcess;
}

export async function startLoad(host: ChildHost): Promise<Load> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const process = await startChild({ name: 'load', program }, host);
  return {
    run: async (plan) => {
      const report = await process.ask(plan, loadReportSchema);
      const wanted = plan.loop === 'stubborn' ? plan.accepted : plan.count;
      if (report.accepted !== wanted) {
        const outcomes = Object.entries(report.refused).map(
          ([outcome, times]) => `${outcome} (${times} times)`,
        );
        throw new Error(`Of ${wanted} events ${report.accepted} were accepted: ${outcomes.join(', ')}`);
      }
      return report;
    },
    accepted: () => process.ask(howManyAccepted, z.int()),
    process,
  };
}
