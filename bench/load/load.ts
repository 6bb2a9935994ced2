import { fileURLToPath } from 'node:url';

import { startChild, type ChildHost, type ChildProcess } from '../processes/childProcess.js';
import { loadReportSchema, type LoadPlan, type LoadReport } from './plans.js';

/** The process that posts events, as the benchmark sees it. */
export interface Load {
  /** @throws Error with the answers that were not 201, where there were any: figures of refused events mean nothing */
  readonly run: (plan: LoadPlan) => Promise<LoadReport>;
  readonly process: ChildProcess;
}

export async function startLoad(host: ChildHost): Promise<Load> {
  const program = fileURLToPath(new URL('./main.js', import.meta.url));
  const process = await startChild({ name: 'load', program }, host);
  return {
    run: async (plan) => {
      const report = await process.ask(plan, loadReportSchema);
      if (report.accepted !== plan.count) {
        const outcomes = Object.entries(report.refused).map(
          ([outcome, times]) => `${outcome} (${times} times)`,
        );
        throw new Error(`Of ${plan.count} events ${report.accepted} were accepted: ${outcomes.join(', ')}`);
      }
      return report;
    },
    process,
  };
}
