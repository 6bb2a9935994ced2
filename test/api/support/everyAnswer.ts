import { z } from 'zod';

import type { TestAccount } from './accounts.js';
import type { Client } from './client.js';
import { routeTable } from './routeTable.js';

/** Routes of keys whose answers are not made from the log, and why. */
const leftOut = new Map([
  ['/v1/events/stream', 'it never ends'],
  ['/v1/account', 'it shows what the account uses now'],
]);

/** What an answer has that is not made from the log: when a key was used last, and the id of an error's request. */
const fieldsLeftOut = /"(lastUsedAt|requestId)":("[^"]*"|null)/g;

const resourceSchema = z.object({ id: z.string() });
const listSchema = z.object({ data: z.array(z.unknown()) });

/**
 * The answers of all routes with GET that a full key may ask, by path and mode, without what is not made from the log.
 * @param morePaths asked too, in each mode
 */
export async function everyAnswer(
  { live, test }: Pick<TestAccount, 'live' | 'test'>,
  morePaths: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const [mode, client] of Object.entries({ live, test })) {
    for (const path of [...morePaths, ...(await pathsOf(client))]) {
      const { status, text } = await client.get(path);
      found.set(`${mode} ${path}`, `${status} ${text.replace(fieldsLeftOut, '')}`);
    }
  }
  return found;
}

/** The answers that differ, for a message that shows them. */
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

/** A path for each resource that the list has, and one for a resource that was never there. */
async function pathsWithIds(client: Client, path: string): Promise<readonly string[]> {
  const { text } = await client.get(`${path.split('/:id')[0] ?? ''}?limit=100`);
  const list = listSchema.safeParse(JSON.parse(text));
  const ids = (list.data?.data ?? []).map((resource) => resourceSchema.parse(resource).id);
  return [...ids, 'unknown'].map((id) => path.replace(':id', id));
}
