import { writeRefusal } from '../answer.js';
import type { ApiMiddleware } from '../context.js';
import { refusal } from '../refusal.js';

const unsupported = refusal(
  'test_mode_unsupported',
  'Nothing is delivered in test mode: do this with a live key.',
);

/** Refuses test keys, for operations that deliver. */
export const requireLiveMode: ApiMiddleware = async (context, next) => {
  if (context.state.caller?.mode === 'test') {
    writeRefusal(context, unsupported);
  } else {
    await next();
  }
};
