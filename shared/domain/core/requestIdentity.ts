import { createHmac } from 'node:crypto';

import { createIdentifiers, type IdentifierPrefix, type Identifiers } from './identifiers.js';

/**
 * The ids, time and secrets of a request's changes. Requests with the same idempotency key have the same identity and
 * append the same records. So a repeated request is harmless in any process, even if the first request failed.
 */
export interface RequestIdentity {
  /** The time of the first request with this identity: `created` of a resource, `ce_time` of its records. */
  readonly created: Date;
  /** Whether an earlier request had this identity, so the log may already contain its records. */
  readonly isRepeat: boolean;
  /** The id of a new resource. A request has one id for each prefix. */
  id: (prefix: IdentifierPrefix) => string;
  /** The `ce_id` of a record that creates no resource. Each record of a request needs its own name. */
  recordId: (name?: string) => string;
  /** A secret of 32 unpredictable bytes. */
  secret: () => Buffer;
  /** The seed of the identity of one of several items of a request, such as the events of a batch. */
  itemSeed: (item: string) => Buffer;
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
    itemSeed: () => randomBytes(secretLength),
  };
}

export interface IdentitySeed {
  readonly created: Date;
  readonly isRepeat: boolean;
  /**
   * The seed of the identity, which consists of 32 random bytes. The ids and the secret derive from the seed, so the
   * seed must stay secret too.
   */
  readonly seed: Buffer;
}

/** The identity of all requests with the same seed. HMAC-SHA256 derives each id and secret (RFC 5869 section 2.3). */
export function seededIdentity({ created, isRepeat, seed }: IdentitySeed): RequestIdentity {
  const bytesFor = (purpose: string): Buffer => createHmac('sha256', seed).update(purpose).digest();
  return {
    created,
    isRepeat,
    id: (prefix) => identifiersFrom(bytesFor(`id ${prefix}`)).create(prefix, created),
    recordId: (name = '') => identifiersFrom(bytesFor(`record ${name}`)).createRecordId(created),
    secret: () => bytesFor('secret'),
    itemSeed: (item) => bytesFor(`item ${item}`),
  };
}

/**
 * Creates one identifier from the given bytes. A byte selects each of a ULID's 16 random characters uniformly, because
 * 32 values divide 256.
 */
function identifiersFrom(bytes: Buffer): Identifiers {
  let used = 0;
  return createIdentifiers(() => {
    const byte = bytes[used] ?? 0;
    used += 1;
    return byte / 256;
  });
}
