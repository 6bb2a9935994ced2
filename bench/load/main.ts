import { answerParent } from '../processes/answerParent.js';
import { runClosedLoop } from './closedLoop.js';
import { runOpenLoop } from './openLoop.js';
import { loadPlanSchema } from './plans.js';

/** The process that posts events: apart from what it measures, and warm from one plan to the next. */
answerParent('', (question) => {
  const plan = loadPlanSchema.parse(question);
  return plan.loop === 'closed' ? runClosedLoop(plan) : runOpenLoop(plan);
});
