import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';

/**
 * Waits until a list of the API contains all these texts. The read model of a list may be behind a request that was answered, and a page
 * loads most lists once.
 */
export async function untilListed(client: Client, path: string, ...texts: readonly string[]): Promise<void> {
  await eventually(`${texts.join(', ')} in ${path}`, async () => {
    const { status, text } = await client.get(path);
    return status === 200 && texts.every((wanted) => text.includes(wanted)) ? true : null;
  });
}
