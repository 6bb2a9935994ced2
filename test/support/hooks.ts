import { stopSharedService } from './service.js';
import { stopTestStack } from './stack.js';

/** Whatever the tests have opened is closed with the last of them. */
export const mochaHooks = {
  afterAll: async () => {
    await stopSharedService();
    await stopTestStack();
  },
};
