import { timingSafeEqual } from 'node:crypto';

import { secretBytes, signatureHeaders } from '../../../shared/domain/webhooks/signature.js';
import { CommandFailure } from '../../terminal/output.js';

/** A request as a receiver has got it. */
export interface CapturedRequest {
  readonly id: string;
  /** The value of the header, in Unix seconds. */
  readonly timestamp: string;
  /** The value of the header: one or more signatures, separated by spaces. */
  readonly signature: string;
  readonly body: Buffer;
}

export interface SignatureRules {
  /** Signing secrets as users see them. */
  readonly secrets: readonly string[];
  readonly now: Date;
  /** The largest difference of the timestamp and now in milliseconds, or null for any. */
  readonly toleranceMs: number | null;
}

/** Why a request is not genuine, or null if it is. */
export function faultOf(
  request: CapturedRequest,
  { secrets, now, toleranceMs }: SignatureRules,
): string | null {
  const { timestamp, body } = request;
  if (!/^\d{1,12}$/.test(timestamp)) {
    return 'The timestamp is no number of Unix seconds. Use the value of the header unchanged.';
  }
  const keys = secrets.map(keyOf);
  const matches = (bytes: Buffer) => isSigned({ ...request, body: bytes }, keys);
  if (!matches(body)) {
    return mismatchOf(request, matches);
  }
  const ageMs = now.getTime() - Number(timestamp) * 1000;
  return toleranceMs === null || Math.abs(ageMs) <= toleranceMs ? null : ageFault(ageMs);
}

/** @throws CommandFailure if the text is no secret, without showing it */
export function keyOf(secret: string): Buffer {
  try {
    return secretBytes(secret.trim());
  } catch {
    throw new CommandFailure(
      secret.startsWith('sk_')
        ? 'This is an API key. Pass the signing secret of the webhook, which begins with whsec_.'
        : 'The secret has the wrong form: it is whsec_ and Base64 text. Copy it again.',
    );
  }
}

function isSigned({ id, timestamp, signature, body }: CapturedRequest, keys: readonly Buffer[]): boolean {
  const signed = signatureHeaders({ id, timestampSeconds: Number(timestamp), body, secrets: keys });
  const expected = (signed['webhook-signature'] ?? '').split(' ').map((text) => Buffer.from(text));
  const given = signature
    .trim()
    .split(/\s+/)
    .map((text) => Buffer.from(text));
  return given.some((one) =>
    expected.some((other) => one.length === other.length && timingSafeEqual(one, other)),
  );
}

/** Changes of a body on its way that are made by mistake, with what to do. */
const mistakes: readonly { readonly undo: (body: string) => string; readonly advice: string }[] = [
  {
    undo: (body) => body.replace(/\r?\n$/, ''),
    advice:
      'The signature fits without the line break at the end of the body, which an editor or `echo` has added.',
  },
  {
    undo: (body) => JSON.stringify(JSON.parse(body)),
    advice:
      'The signature fits the body with other spaces, so the body was parsed and written again. Verify the received bytes.',
  },
];

function mismatchOf({ signature, body }: CapturedRequest, matches: (body: Buffer) => boolean): string {
  if (/v1,\*+/.test(signature)) {
    return 'The signature is masked, as the API and the dashboard show it. Copy the header from the log of the receiver.';
  }
  const mistake = mistakes.find(({ undo }) => matches(Buffer.from(undone(undo, body))));
  return (
    mistake?.advice ??
    'The signature does not fit: the secret is that of another webhook, or the id, the timestamp or the body was changed.'
  );
}

function undone(undo: (body: string) => string, body: Buffer): string {
  try {
    return undo(body.toString());
  } catch {
    // The body is no JSON.
    return '';
  }
}

function ageFault(ageMs: number): string {
  const seconds = Math.round(Math.abs(ageMs) / 1000);
  return ageMs > 0
    ? `The signature fits, but it is ${seconds} s old, so receivers reject it. --tolerance any ignores the age.`
    : `The signature fits, but its time is ${seconds} s in the future. Check the clocks of this machine and the receiver.`;
}
