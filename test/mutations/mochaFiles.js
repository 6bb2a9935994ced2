import { createRequire } from 'node:module';

/**
 * Stryker's runner for mocha requires files of mocha without their extension, which is `.cjs` since mocha 12. Node looks for a
 * file with an extension that it has a loader for.
 */
const { extensions } = createRequire(import.meta.url);
extensions['.cjs'] ??= extensions['.js'];
