import { failure, type Outcome, success } from '../system/outcome.js';

const limitMs = 5000;

/** Whether the server of an address answers at all. */
export async function reach(address: string): Promise<Outcome<void>> {
  try {
    await fetch(address, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(limitMs) });
    return success(undefined);
  } catch {
    return failure(`${new URL(address).host} cannot be reached`);
  }
}
