import { createHmac } from 'node:crypto';

import { createIdentifiers, type IdentifierPrefix, type Identifiers } from './identifiers.js';

/**
 * What a request gives to what it makes or changes. Requests with one idempotency key have one identity, so that all of them
 * append the same records, whichever process they reach and whatever became of the one before.
 */
export interface Identity {
  /** When the first request with this identity came: `created` of a resource, `ce_time` of its records. */
  readonly created: Date;
  /** Whether an earlier request had this identity: what it was to append may be in the log already. */
  readonly isRepeat: boolean;
  /** The id of a new resource. Ask once for each kind. */
  id: (prefix: IdentifierPrefix) => string;
  /** The `ce_id` of a record that stands for no resource of its own. Several records of one request need different names. */
  recordId: (name?: string) => string;
  /** 32 bytes that nobody can guess. */
  secret: () => Buffer;
}

export const secretLength = 32;

/** The identity of a request that comes once. */
export function freshIdentity(
  created: Date,
  identifiers: Identifiers,
  randomBytes: (count: number) => Buffer,
): Identity {
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
  /** 32 random bytes. All else follows from them: whoever has them knows the secret. */
  readonly seed: Buffer;
}

/** The one identity of all requests that have this seed. HMAC-SHA256 serves as the pseudorandom function (RFC 5869 section 2.3). */
export function seededIdentity({ created, isRepeat, seed }: IdentitySeed): Identity {
  const bytesFor = (purpose: string): Buffer => createHmac('sha256', seed).update(purpose).digest();
  return {
    created,
    isRepeat,
    id: (prefix) => identifiersFrom(bytesFor(`id ${prefix}`)).create(prefix, created),
    recordId: (name = '') => identifiersFrom(bytesFor(`record ${name}`)).createRecordId(created),
    secret: () => bytesFor('secret'),
  };
}

/** Makes one identifier of these bytes: a ULID's 16 random characters are one of 32 each, so a byte gives each its fair chance. */
function identifiersFrom(bytes: Buffer): Identifiers {
  let used = 0;
  return createIdentifiers(() => {
    const byte = bytes[used] ?? 0;
    used += 1;
    return byte / 256;
  });
}
