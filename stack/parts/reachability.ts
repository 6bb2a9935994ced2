import { failure, type Outcome, success } from '../system/outcome.js';

const limitMs = 5000;

/** Whether the server at an address sends any response. */
export async function reach(address: string): Promise<Outcome<void>> {
  try {
    await fetch(address, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(limitMs) });
    return success(undefined);
  } catch {
    return failure(`${new URL(address).host} cannot be reached`);
  }
}
