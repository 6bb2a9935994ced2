import { createReleasers, type Releasers } from '../../shared/runtime/lifecycle.js';
import { createLogger } from '../../shared/core/logger.js';

/** What tests have opened and close in their last hook, whether they have passed or failed. */
export function createOpened(): Releasers {
  return createReleasers(createLogger({ role: 'test', level: 'warn', isTerminal: false }));
}
