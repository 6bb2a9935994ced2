import { z } from 'zod';

import type { TestAccount } from './accounts.js';
import { getCurrent, type Client } from './client.js';
import { routeTable } from './routeTable.js';

/** Routes whose responses do not follow from the log, and the reasons. */
const leftOut = new Map([
  ['/v1/events/stream', 'it never ends'],
  ['/v1/account', 'it shows what the account uses now'],
  ['/v1/portal-session', 'the log records the rejection of a key'],
]);

/** Fields that do not follow from the log: the last use of a key, the id of a request, and the time of a count. */
const fieldsLeftOut = /"(lastUsedAt|requestId|asOf)":("[^"]*"|null)/g;

const resourceSchema = z.object({ id: z.string() });
const listSchema = z.object({ data: z.array(z.unknown()) });

/**
 * The responses of all routes with GET that accept a full key, by path and mode. Fields that do not follow from the log are left out.
 * @param morePaths further paths to request in each mode
 */
export async function everyAnswer(
  { live, test }: Pick<TestAccount, 'live' | 'test'>,
  morePaths: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [mode, client] of Object.entries({ live, test })) {
    for (const path of [...morePaths, ...(await pathsOf(client))]) {
      const { status, text } = await getCurrent(client, path);
      found.set(`${mode} ${path}`, `${status} ${text.replace(fieldsLeftOut, '')}`);
    }
  }
  return found;
}

/** The responses that differ, for the message of an assertion. */
export function changedAnswers(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly { readonly path: string; readonly before: string; readonly after: string | undefined }[] {
  return [...before].flatMap(([path, answer]) =>
    after.get(path) === answer ? [] : [{ path, before: answer, after: after.get(path) }],
  );
}

async function pathsOf(client: Client): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { method, access, path } of routeTable) {
    if (method === 'GET' && access === 'api-key' && !leftOut.has(path)) {
      paths.push(...(path.includes(':id') ? await pathsWithIds(client, path) : [path]));
    }
  }
  return paths;
}

/** A path for each resource in the list, and one for an unknown resource. */
async function pathsWithIds(client: Client, path: string): Promise<readonly string[]> {
  const { text } = await getCurrent(client, `${path.split('/:id')[0] ?? ''}?limit=100`);
  const list = listSchema.safeParse(JSON.parse(text));
  const ids = (list.data?.data ?? []).map((resource) => resourceSchema.parse(resource).id);
  return [...ids, 'unknown'].map((id) => path.replace(':id', id));
}
