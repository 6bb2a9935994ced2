import { replaySchema } from '../../../api/resources/replays/routes.js';
import { eventually } from '../../support/eventually.js';
import { read, type Client } from './client.js';

/** Before all that a test does. */
export const longAgo = '2020-01-01T00:00:00.000Z';

/** Asks for a replay, of all times where nothing is said, and gives it as it was answered. */
export async function createReplay(client: Client, fields: Readonly<Record<string, unknown>>) {
  return read(await client.postJson('/v1/replays', { since: longAgo, ...fields }), replaySchema);
}

export async function readReplay(client: Client, id: string) {
  return read(await client.get(`/v1/replays/${id}`), replaySchema);
}

/** Waits until a replay is as it is wanted, and gives it. Where it never is, the failure shows how it was last. */
export function replayOnce(
  client: Client,
  id: string,
  isIt: (replay: Awaited<ReturnType<typeof readReplay>>) => boolean,
) {
  return eventually(
    `what is awaited of ${id}`,
    async () => {
      const replay = await readReplay(client, id);
      if (!isIt(replay)) {
        throw new Error(JSON.stringify(replay));
      }
      return replay;
    },
    45_000,
  );
}
