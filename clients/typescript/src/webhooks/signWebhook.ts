import { signaturesOf, type RawBody, type Secrets } from './signature.js';

/** Options of `signWebhook`. */
export interface SignWebhookOptions {
  /** The id of the event. By default a new one. */
  readonly id?: string | undefined;
  /** The time of the signature. By default now. */
  readonly timestamp?: Date | undefined;
  /** The `signatureHeaderPrefix` of the webhook. By default `webhook`. */
  readonly signatureHeaderPrefix?: string | undefined;
}

/**
 * The headers with which the service would send a body, for tests of a receiver.
 * @param secrets the signing secret of the webhook, or several as during a rotation
 */
export async function signWebhook(
  body: RawBody,
  secrets: Secrets,
  options: SignWebhookOptions = {},
): Promise<Record<string, string>> {
  const { id = `evt_${crypto.randomUUID()}`, signatureHeaderPrefix = 'webhook' } = options;
  const timestamp = String(Math.floor((options.timestamp ?? new Date()).getTime() / 1000));
  const signatures = await signaturesOf({ id, timestamp, body }, secrets);
  return {
    'content-type': 'application/json',
    [`${signatureHeaderPrefix}-id`]: id,
    [`${signatureHeaderPrefix}-timestamp`]: timestamp,
    [`${signatureHeaderPrefix}-signature`]: signatures.join(' '),
  };
}
