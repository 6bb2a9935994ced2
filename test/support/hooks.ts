import process from 'node:process';

import { forgetSeen } from '../contract/seen.js';
import { stopSharedService } from './service.js';
import { stopTestStack } from './stack.js';

/** How long what the tests have opened may keep the process alive behind the last of them. */
const leakedAfterMs = 20_000;

/** Once for each run, before its first test, also where several processes share the files. */
export function mochaGlobalSetup(): void {
  forgetSeen();
}

/** Whatever the tests have opened is closed with the last of them. What is not ends the run as a failure. */
export const mochaHooks = {
  afterAll: async () => {
    await stopSharedService();
    await stopTestStack();
    setTimeout(() => {
      process.stderr.write(`Left open by the tests: ${process.getActiveResourcesInfo().join(', ')}\n`);
      process.exit(1);
    }, leakedAfterMs).unref();
  },
};
