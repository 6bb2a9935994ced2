import { createHmac } from 'node:crypto';

import { createIdentifiers, type IdentifierPrefix, type Identifiers } from './identifiers.js';

/**
 * The ids, time and secrets of a request's changes. Requests with one idempotency key share one identity, so that all
 * of them append the same records. Neither the process nor the outcome of an earlier request matters.
 */
export interface RequestIdentity {
  /** The time of the first request with this identity: `created` of a resource, `ce_time` of its records. */
  readonly created: Date;
  /** Whether an earlier request had this identity, so the log may already contain its records. */
  readonly isRepeat: boolean;
  /** The id of a new resource. Each kind has one id per request. */
  id: (prefix: IdentifierPrefix) => string;
  /** The `ce_id` of a record that creates no resource. Several records of one request need different names. */
  recordId: (name?: string) => string;
  /** 32 unpredictable bytes. */
  secret: () => Buffer;
}

export const secretLength = 32;

/** The identity of a request without an idempotency key. */
export function freshIdentity(
  created: Date,
  identifiers: Identifiers,
  randomBytes: (count: number) => Buffer,
): RequestIdentity {
  return {
    created,
    isRepeat: false,
    id: (prefix) => identifiers.create(prefix, created),
    recordId: () => identifiers.createRecordId(created),
    secret: () => randomBytes(secretLength),
  };
}

export interface IdentitySeed {
  readonly created: Date;
  readonly isRepeat: boolean;
  /** 32 random bytes. All other values derive from them, so a reader of the seed knows the secret. */
  readonly seed: Buffer;
}

/**
 * The identity of all requests with this seed. HMAC-SHA256 serves as the pseudorandom function (RFC 5869 section 2.3).
 */
export function seededIdentity({ created, isRepeat, seed }: IdentitySeed): RequestIdentity {
  const bytesFor = (purpose: string): Buffer => createHmac('sha256', seed).update(purpose).digest();
  return {
    created,
    isRepeat,
    id: (prefix) => identifiersFrom(bytesFor(`id ${prefix}`)).create(prefix, created),
    recordId: (name = '') => identifiersFrom(bytesFor(`record ${name}`)).createRecordId(created),
    secret: () => bytesFor('secret'),
  };
}

/**
 * Creates one identifier from these bytes. Each of a ULID's 16 random characters has 32 values, so a byte gives each
 * value the same probability.
 */
function identifiersFrom(bytes: Buffer): Identifiers {
  let used = 0;
  return createIdentifiers(() => {
    const byte = bytes[used] ?? 0;
    used += 1;
    return byte / 256;
  });
}
