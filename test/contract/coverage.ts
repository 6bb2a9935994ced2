import process from 'node:process';

import { describedApi } from './describedApi.js';
import { allSeen } from './seen.js';

/** Responses that the tests do not cause for every operation, and the reasons. */
const notProvoked: Readonly<Record<string, string>> = {
  500: 'a fault of the service, which test/api/middleware/errors.test.ts causes',
};

const seen = allSeen();
const missing = Object.values(describedApi().paths)
  .flatMap((item) => Object.values(item))
  .flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((status) => notProvoked[status] === undefined)
      .map((status) => `${operationId} ${status}`),
  )
  .filter((answer) => !seen.has(answer));

for (const answer of missing) {
  process.stderr.write(`no test has received ${answer}\n`);
}
process.exitCode = missing.length === 0 ? 0 : 1;
