import { answerRequests } from '../processes/answerRequests.js';
import { runBatchLoop } from './batchLoop.js';
import { runClosedLoop } from './closedLoop.js';
import { runOpenLoop } from './openLoop.js';
import { acceptedCountRequest, loadPlanSchema, type LoadPlan, type LoadReport } from './plans.js';
import { readPlanSchema, runReads } from './reads.js';
import { runFaultTolerantLoop } from './faultTolerantLoop.js';

let accepted = 0;
const onAccepted = (count: number) => {
  accepted = count;
};

/** The process that posts events and reads them. It is separate from the measured processes and stays warm between plans. */
answerRequests('', (request) => {
  if (request === acceptedCountRequest) {
    return Promise.resolve(accepted);
  }
  const reads = readPlanSchema.safeParse(request);
  return reads.success ? runReads(reads.data) : run(loadPlanSchema.parse(request));
});

function run(plan: LoadPlan): Promise<LoadReport> {
  switch (plan.loop) {
    case 'closed':
      return runClosedLoop(plan);
    case 'batches':
      return runBatchLoop(plan);
    case 'open':
      return runOpenLoop(plan);
    case 'faultTolerant':
      onAccepted(0);
      return runFaultTolerantLoop(plan, onAccepted);
  }
}
