import { SignatureVerificationError } from '../errors.js';
import type { DeliveredEvent } from '../generated/types.js';
import type { DataAs } from '../json/dataAs.js';
import { decodeJson } from '../json/decodeJson.js';
import { headerOf, type WebhookHeaders } from './headers.js';
import { isEqual, signaturesOf, type RawBody, type Secrets } from './signature.js';

/** Options of `verifyWebhook`. */
export interface VerifyWebhookOptions<Raw extends boolean = false> {
  /** The largest difference between the timestamp of the request and now, in seconds. By default 300. */
  readonly tolerance?: number | undefined;
  /** The `signatureHeaderPrefix` of the webhook. By default `webhook`. */
  readonly signatureHeaderPrefix?: string | undefined;
  /** Whether `data` is a `RawJson`, which has all digits of large numbers, instead of an object. */
  readonly rawData?: Raw | undefined;
}

const defaultTolerance = 300;

/**
 * The event in a request to a webhook, if the service has signed the request. Pass the body as it was received: a body
 * that was parsed and written again has another signature.
 * @param secrets the signing secret of the webhook, or several while one is rotated
 * @throws SignatureVerificationError if the request is not genuine: answer it with a 400
 * @throws TypeError if an argument has the wrong form
 */
export async function verifyWebhook<Raw extends boolean = false>(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secrets: Secrets,
  options: VerifyWebhookOptions<Raw> = {},
): Promise<DeliveredEvent<DataAs<Raw>>> {
  const { tolerance = defaultTolerance, signatureHeaderPrefix = 'webhook', rawData } = options;
  checkTolerance(tolerance);
  const text = textOf(rawBody);
  const header = (part: string): string => requiredHeader(headers, `${signatureHeaderPrefix}-${part}`);
  const [id, timestamp, signatures] = [header('id'), header('timestamp'), header('signature')];
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new SignatureVerificationError('timestamp_invalid', 'The timestamp is no number of Unix seconds.');
  }
  const expected = await signaturesOf({ id, timestamp, body: rawBody }, secrets);
  // Every pair is compared, so that the time does not say which secret has signed.
  const matches = signatures.split(' ').flatMap((given) => expected.map((one) => isEqual(one, given)));
  if (!matches.includes(true)) {
    throw new SignatureVerificationError(
      'signature_mismatch',
      'No signature fits. Pass the body as it was received, not parsed and written again, and the secret of this webhook.',
    );
  }
  checkAge(Number(timestamp), tolerance);
  try {
    return decodeJson(text, rawData === true ? [['data']] : []) as DeliveredEvent<DataAs<Raw>>;
  } catch {
    throw new SignatureVerificationError('body_invalid', 'The signature fits, but the body is no JSON.');
  }
}

function checkTolerance(tolerance: number): void {
  if (!(tolerance >= 0)) {
    throw new TypeError(
      `tolerance is ${tolerance}. Pass seconds, or Infinity to accept requests of any age.`,
    );
  }
}

/** A framework that parses bodies passes an object here, whose text is lost. */
function textOf(rawBody: unknown): string {
  if (typeof rawBody === 'string') {
    return rawBody;
  }
  if (rawBody instanceof Uint8Array || rawBody instanceof ArrayBuffer) {
    return new TextDecoder().decode(rawBody);
  }
  throw new TypeError(
    'rawBody is no text and no bytes. Pass the body as it was received, such as that of express.raw().',
  );
}

function requiredHeader(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name.toLowerCase());
  if (value === null || value === '') {
    throw new SignatureVerificationError('header_missing', `The request has no header ${name}.`);
  }
  return value;
}

function checkAge(timestamp: number, tolerance: number): void {
  const age = Date.now() / 1000 - timestamp;
  if (Math.abs(age) > tolerance) {
    throw new SignatureVerificationError(
      'timestamp_out_of_tolerance',
      `The signature fits, but it is ${Math.round(Math.abs(age))} s ${age > 0 ? 'old' : 'in the future'}. Check the clock of this machine; somebody may also send an earlier request again.`,
    );
  }
}
