import { replaySchema } from '../../../api/resources/replays/routes.js';
import { eventually } from '../../support/eventually.js';
import { read, type Client } from './client.js';

/** A time before all events of a test. */
export const longAgo = '2020-01-01T00:00:00.000Z';

/** The beginning of a replay of all times; a replay of named events has no time range. */
export function spanOf(fields: Readonly<Record<string, unknown>>): { readonly since?: string } {
  return fields['eventIds'] === undefined ? { since: longAgo } : {};
}

/** Creates a replay, of all times by default, and returns it. */
export async function createReplay(client: Client, fields: Readonly<Record<string, unknown>>) {
  return read(await client.postJson('/v1/replays', { ...spanOf(fields), ...fields }), replaySchema);
}

export async function readReplay(client: Client, id: string) {
  return read(await client.get(`/v1/replays/${id}`), replaySchema);
}

/** Waits until a replay meets the condition, and returns it. A failure shows its last state. */
export function replayOnce(
  client: Client,
  id: string,
  isIt: (replay: Awaited<ReturnType<typeof readReplay>>) => boolean,
) {
  return eventually(
    `the state of ${id}`,
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
