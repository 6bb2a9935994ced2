import { createRequire } from 'node:module';

import fc from 'fast-check';

/**
 * Stryker's runner for mocha requires files of mocha without their extension, which is `.cjs` since mocha 12. Node looks for a
 * file with an extension that it has a loader for.
 */
const { extensions } = createRequire(import.meta.url);
extensions['.cjs'] ??= extensions['.js'];

/** Each mutant repeats the tests that reach it, so a property runs less often than in `npm test`. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 25 });
