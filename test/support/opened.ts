import { createReleasers, type Releasers } from '../../shared/runtime/lifecycle.js';
import { createLogger } from '../../shared/core/logger.js';

/** The resources that tests have opened. Their last hook closes them, whether the tests have passed or failed. */
export function createOpened(): Releasers {
  return createReleasers(createLogger({ role: 'test', level: 'warn', isTerminal: false }));
}
