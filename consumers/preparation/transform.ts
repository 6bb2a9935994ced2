import type { CallOwner, CallResult, SandboxCall } from '../../shared/sandbox/calls.js';
import type { Sandbox } from '../../shared/sandbox/sandbox.js';
import type { EventContent } from '../lookups/eventStates.js';

/** The code of a transformation, with the webhook that it belongs to. */
export interface Transformation {
  readonly owner: CallOwner;
  readonly code: string;
  /** The URL of the webhook. */
  readonly url: string;
}

/**
 * The end of a transformation.
 *
 * - `transformed`: the URL and the `data` to send. The `data` are the original bytes if the code has not changed them
 * - `skipped`: the code has returned null, so nothing is sent
 * - `failed`: the attempt fails with `transformation_failed` and the message
 */
export type Transformed =
  | { readonly outcome: 'transformed'; readonly url: string; readonly data: Buffer }
  | { readonly outcome: 'skipped' }
  | { readonly outcome: 'failed'; readonly message: string };

/**
 * Runs the code of a webhook for one event.
 * @throws UnavailableError if the sandbox is overloaded, which is no failure of the code
 */
export async function transform(
  sandbox: Pick<Sandbox, 'run'>,
  { owner, code, url }: Transformation,
  content: EventContent,
): Promise<Transformed> {
  const call: SandboxCall = { code, event: eventText(content, url) };
  return transformedBy(await sandbox.run(owner, call), url, content.data);
}

/** The JSON text that the code gets. It contains `data` byte for byte as the client sent it. */
function eventText({ id, type, created, tenantId, data }: EventContent, url: string): string {
  const head = JSON.stringify({ id, type, timestamp: created.toISOString(), tenantId, url });
  return `${head.slice(0, -1)},"data":${data.toString()}}`;
}

function transformedBy(result: CallResult, url: string, data: Buffer): Transformed {
  switch (result.outcome) {
    case 'returned': {
      const changed = changedUrl(result.url, url);
      return changed === null
        ? { outcome: 'failed', message: 'The code may change only the path and the query of `url`.' }
        : { outcome: 'transformed', url: changed, data: changedData(result.data, data) };
    }
    case 'skipped':
      return { outcome: 'skipped' };
    case 'failed':
      return { outcome: 'failed', message: result.message };
    case 'accepted':
      throw new Error('a call with an event was accepted without a result');
  }
}

function changedData(changed: string | null, data: Buffer): Buffer {
  return changed === null ? data : Buffer.from(changed);
}

/**
 * The URL to send to, or null if scheme, user information, host or port are others. The result is the text of the parser that
 * has compared the URLs. So a later parser cannot find another host in it.
 */
function changedUrl(changed: string, url: string): string | null {
  if (changed === url) {
    return url;
  }
  if (!URL.canParse(changed)) {
    return null;
  }
  const [after, before] = [new URL(changed), new URL(url)];
  const parts = ['protocol', 'username', 'password', 'host'] as const;
  return parts.every((part) => after[part] === before[part]) ? after.href : null;
}
