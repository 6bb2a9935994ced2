import { answerParent } from '../processes/answerParent.js';
import { runClosedLoop } from './closedLoop.js';
import { runOpenLoop } from './openLoop.js';
import { howManyAccepted, loadPlanSchema, type LoadPlan, type LoadReport } from './plans.js';
import { runStubbornLoop } from './stubbornLoop.js';

let accepted = 0;
const onAccepted = (count: number) => {
  accepted = count;
};

/** The process that posts events: apart from what it measures, and warm from one plan to the next. */
answerParent('', (question) =>
  question === howManyAccepted ? Promise.resolve(accepted) : run(loadPlanSchema.parse(question)),
);

function run(plan: LoadPlan): Promise<LoadReport> {
  switch (plan.loop) {
    case 'closed':
      return runClosedLoop(plan);
    case 'open':
      return runOpenLoop(plan);
    case 'stubborn':
      onAccepted(0);
      return runStubbornLoop(plan, onAccepted);
  }
}
