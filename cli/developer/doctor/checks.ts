import { randomBytes } from 'node:crypto';

import { messageOf } from '../../../shared/core/errors.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import type { ApiClient } from '../api/apiClient.js';
import { RejectedError, unreachable } from '../api/failures.js';
import { connectionRefused, forward, nothingListens, type ForwardOutcome } from '../listen/forward.js';
import { isSuccess } from '../listen/listenLines.js';

export interface Finding {
  readonly check: 'address' | 'key' | 'clock' | 'stream' | 'receiver';
  readonly status: 'ok' | 'failed' | 'skipped';
  /** What was found and, after a failure, what to change. */
  readonly message: string;
}

/** Receivers reject a signature whose time is this far away from theirs, in milliseconds. */
const toleranceMs = 300_000;
/** The difference of two clocks that is worth a correction, in milliseconds. */
const noticedMs = 30_000;
/** The time limit of an answer, in milliseconds. A stream begins with a comment, so that it has an answer at once. */
const answerLimitMs = 10_000;

/** Checks the address, the key and the clock with one request, and that the event stream arrives. */
export async function checkService(
  client: Pick<ApiClient, 'connection' | 'open'>,
): Promise<readonly Finding[]> {
  const { url, apiKey } = client.connection;
  const { failure, serviceTime } = await callOnce(client);
  if (failure !== null && !(failure instanceof RejectedError && failure.code !== null)) {
    const address = { check: 'address', status: 'failed', message: messageOf(failure) } as const;
    return [address, skipped('key'), skipped('clock'), skipped('stream')];
  }
  // Only these two statuses concern the key.
  if (failure !== null && failure.status !== 401 && failure.status !== 403) {
    const message = `${url.value} is a Postrider service, but it has rejected a request: ${failure.message}`;
    const address = { check: 'address', status: 'failed', message } as const;
    return [address, skipped('key'), skipped('clock'), skipped('stream')];
  }
  const address = ok('address', `${url.value} (${url.origin}) is a Postrider service`);
  // A key with few scopes, or that of a tenant, is a good key too.
  if (failure !== null && failure.code !== 'insufficient_scope') {
    const key = { check: 'key', status: 'failed', message: failure.message } as const;
    return [address, key, skipped('clock'), skipped('stream')];
  }
  return [
    address,
    ok('key', `the service accepts the key of ${apiKey.origin}`),
    clockFinding(serviceTime, new Date()),
    await checkStream(client),
  ];
}

interface CallOutcome {
  readonly failure: unknown;
  /** The time of the service, to the second, or null if it is unknown. */
  readonly serviceTime: Date | null;
}

async function callOnce({ connection, open }: Pick<ApiClient, 'connection' | 'open'>): Promise<CallOutcome> {
  const limit = AbortSignal.timeout(answerLimitMs);
  try {
    const { headers, body } = await open({ path: '/v1/account' }, limit);
    await body?.cancel();
    const date = headers.get('date');
    return { failure: null, serviceTime: date === null ? null : new Date(date) };
  } catch (error) {
    return { failure: limit.aborted ? unreachable(limit.reason, connection) : error, serviceTime: null };
  }
}

/** @param serviceTime the time of the service, to the second, or null if it is unknown */
export function clockFinding(serviceTime: Date | null, now: Date): Finding {
  if (serviceTime === null || Number.isNaN(serviceTime.getTime())) {
    return skipped('clock');
  }
  const aheadMs = now.getTime() - serviceTime.getTime();
  const difference = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the service`;
  if (Math.abs(aheadMs) < noticedMs) {
    return ok('clock', 'the clock of this machine agrees with the service');
  }
  const consequence =
    Math.abs(aheadMs) < toleranceMs
      ? ''
      : ', so receivers on this machine reject its signatures as too old or too new';
  return {
    check: 'clock',
    status: 'failed',
    message: `The clock of this machine is ${difference}${consequence}. Set it, for example with NTP.`,
  };
}

async function checkStream(client: Pick<ApiClient, 'open'>): Promise<Finding> {
  const giving = new AbortController();
  const timer = setTimeout(() => {
    giving.abort();
  }, answerLimitMs);
  try {
    const { body } = await client.open({ path: '/v1/events/stream' }, giving.signal);
    await body?.getReader().read();
    return ok('stream', 'the event stream arrives at once');
  } catch (error) {
    const held =
      'The event stream does not arrive. Something between this machine and the service holds it back, such as a proxy that buffers.';
    return { check: 'stream', status: 'failed', message: giving.signal.aborted ? held : messageOf(error) };
  } finally {
    clearTimeout(timer);
    giving.abort();
  }
}

/**
 * Sends two signed events of the type `webhook.test` to a local receiver: a genuine one, and one with the signature of
 * another secret.
 */
export async function checkReceiver(url: URL, secret: Buffer): Promise<readonly Finding[]> {
  const eventId = createIdentifiers(createRandom()).create('evt', new Date());
  const body = Buffer.from(
    JSON.stringify({
      id: eventId,
      type: 'webhook.test',
      timestamp: new Date().toISOString(),
      data: { message: 'A test by postrider doctor.' },
    }),
  );
  const send = (key: Buffer) => forward({ url, eventId, body, secret: key }, new AbortController().signal);
  const genuine = await send(secret);
  if (genuine === null || !isSuccess(genuine)) {
    return [{ check: 'receiver', status: 'failed', message: receiverFault(url, genuine) }];
  }
  const forged = await send(randomBytes(32));
  return [
    ok('receiver', `${url.href} accepts a signed event`),
    forged !== null && isSuccess(forged)
      ? {
          check: 'receiver',
          status: 'failed',
          message: `${url.href} also accepts an event with a wrong signature. Let it verify signatures (docs/receiving.md).`,
        }
      : ok('receiver', `${url.href} rejects an event with a wrong signature`),
  ];
}

function receiverFault(url: URL, outcome: ForwardOutcome | null): string {
  const { href } = url;
  const { statusCode = null, error = null } = outcome ?? {};
  if (statusCode === null) {
    return error === connectionRefused
      ? nothingListens(url)
      : `The receiver ${href} gives no answer: ${error ?? 'unknown'}. Check --forward-to.`;
  }
  return statusCode === 404 || statusCode === 405
    ? `The receiver answers ${statusCode}. Check the path of --forward-to: ${href}.`
    : `The receiver answers ${statusCode} to a signed event. It must know the secret of \`postrider listen --print-secret\`, and answer with a 2xx.`;
}

function ok(check: Finding['check'], message: string): Finding {
  return { check, status: 'ok', message };
}

function skipped(check: Finding['check']): Finding {
  return { check, status: 'skipped', message: 'not checked' };
}
