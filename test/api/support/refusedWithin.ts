import { expect } from 'chai';

import { eventually } from '../../support/eventually.js';

/**
 * Repeats requests until the API rejects them, and returns the refusals. The limit applies to the begin of an accepted request, because
 * its response may take long on a slow machine.
 * @param limitMs the time from now on in which requests may still be accepted, in milliseconds
 * @param send sends the requests, and returns null if one of them was accepted
 * @throws Error if a request was accepted that began later
 */
export async function refusedWithin<Refusals>(
  limitMs: number,
  send: () => Promise<Refusals | null>,
): Promise<Refusals> {
  const startedAt = performance.now();
  let lastAcceptedMs = 0;
  const refusals = await eventually('the refusal of requests', async () => {
    const begunMs = performance.now() - startedAt;
    const found = await send();
    lastAcceptedMs = found === null ? begunMs : lastAcceptedMs;
    return found;
  });
  expect(lastAcceptedMs, 'the begin of the last accepted request').to.be.below(limitMs);
  return refusals;
}
