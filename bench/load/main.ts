import { answerRequests } from '../processes/answerRequests.js';
import { runClosedLoop } from './closedLoop.js';
import { runFaultTolerantLoop } from './faultTolerantLoop.js';
import { runOpenLoop } from './openLoop.js';
import { acceptedCountRequest, loadPlanSchema, type LoadPlan, type LoadReport } from './plans.js';

let accepted = 0;
const onAccepted = (count: number) => {
  accepted = count;
};

/** The process that posts events. It is separate from the measured processes and stays warm between plans. */
answerRequests('', (request) =>
  request === acceptedCountRequest ? Promise.resolve(accepted) : run(loadPlanSchema.parse(request)),
);

function run(plan: LoadPlan): Promise<LoadReport> {
  switch (plan.loop) {
    case 'closed':
      return runClosedLoop(plan);
    case 'open':
      return runOpenLoop(plan);
    case 'faultTolerant':
      onAccepted(0);
      return runFaultTolerantLoop(plan, onAccepted);
  }
}
