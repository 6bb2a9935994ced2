import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import { failureOf, type RequestFailure } from '../api/failure.js';
import type { List, Webhook } from '../api/types.js';
import { areCountsOld, servedAtOf } from '../health/healthText.js';

/** The largest number of webhooks in one response, and the largest number of webhooks of a tenant in one mode. */
const webhookLimit = 100;

/** The refresh interval of lists of webhooks with their health, in milliseconds. */
export const healthRefreshMs = 10_000;

/** A page of webhooks, in some lists with their health. */
export interface KnownWebhooks extends List<Webhook> {
  /** The time of the response by the clock of the service, in milliseconds since 1970. */
  readonly servedAt: number;
  /** The reason why the health is unknown although the page shows it. */
  readonly healthFailure: RequestFailure | null;
  /** The time of the last response with the health, in milliseconds since 1970, or null without one. */
  readonly countedAt: number | null;
}

/** The webhooks of a page of the list, as query parameters of the API. */
export interface WebhookSelection {
  readonly tenantId?: string;
  readonly startingAfter?: string;
  readonly endingBefore?: string;
}

interface ReadOptions {
  readonly withHealth: boolean;
  readonly signal: AbortSignal;
}

/** Reads a page of webhooks. */
export async function readWebhooks(
  api: Api,
  selection: WebhookSelection,
  { withHealth, signal }: ReadOptions,
): Promise<KnownWebhooks> {
  const read = async (include: { readonly include?: 'health' }) => {
    const query = { limit: webhookLimit, ...selection, ...include };
    const call = api.GET('/v1/webhooks', { params: { query }, signal });
    const list = await answerOf(call);
    const { response } = await call;
    return { ...list, servedAt: servedAtOf(response) };
  };
  if (!withHealth) {
    return { ...(await read({})), healthFailure: null, countedAt: null };
  }
  try {
    return { ...(await read({ include: 'health' })), healthFailure: null, countedAt: Date.now() };
  } catch (thrown) {
    // The counts may be unknown while the webhooks are known. If the webhooks are unknown too, this request fails.
    return { ...(await read({})), healthFailure: failureOf(thrown), countedAt: null };
  }
}

/** The time of the counts if they are old, or null if they are current or unknown. */
export function oldAsOfOf({ data, servedAt }: Pick<KnownWebhooks, 'data' | 'servedAt'>): string | null {
  const asOf = data.find(({ health }) => health !== undefined)?.health?.asOf ?? null;
  return asOf !== null && areCountsOld(asOf, servedAt) ? asOf : null;
}
