import type { z } from 'zod';

import { eventBatchSchema } from '../../../api/resources/postedEvents/postRoutes.js';
import { read, type Client, type Response } from './client.js';

export const batchPath = '/v1/events/batch';

type Result = z.output<typeof eventBatchSchema>['data'][number];

/** Posts events together, and returns the result of each event. */
export async function postBatch(
  client: Client,
  events: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly Result[]> {
  return resultsOf(await client.postJson(batchPath, { events }, headers));
}

export function resultsOf(response: Response): readonly Result[] {
  return read(response, eventBatchSchema).data;
}

/** Each result of a batch in one text: the type of an accepted event, or `400 code param` without the status. */
export function summaryOf(results: readonly Result[]): readonly string[] {
  return results.map((result) =>
    result.event !== undefined
      ? result.event.type
      : [result.error?.code, result.error?.param].filter((part) => typeof part === 'string').join(' '),
  );
}

/** The ids of the accepted events. */
export function idsOf(results: readonly Result[]): readonly string[] {
  return results.flatMap((result) => (result.event === undefined ? [] : [result.event.id]));
}
