import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { createFairSemaphore } from '../concurrency/fairSemaphore.js';

/** Slow hashes of passwords. A few hashes are computed at a time, with fair shares for the networks of clients. */
export interface Passwords {
  /**
   * Computes the hash of a password to store. The hash contains its salt and cost.
   * @param network the client's network
   * @param sibling the hash of another password of the same user, or null. Both hashes have the same salt, so that one
   *   derivation checks a password against both hashes.
   * @throws UnavailableError if too many hashes wait
   */
  hash: (password: string, network: string, sibling?: string | null) => Promise<string>;
  /**
   * Checks whether a password matches each hash. `matches` derives one key for each different salt, and also one key
   * for an empty list. So with the hashes of one user, a sign-in takes the same time for a user without an account,
   * with one account, or with several.
   * @param network the client's network
   * @throws UnavailableError if too many hashes wait
   */
  matches: (password: string, hashes: readonly string[], network: string) => Promise<readonly boolean[]>;
}

/** The cost of a hash: the parameters of scrypt. */
export interface PasswordCost {
  /** The base-2 logarithm of scrypt's work factor N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

const saltBytes = 16;
const keyBytes = 32;

const queueing = {
  // Node has four threads, which compute hashes, read files and look up host names. Two threads remain for files and
  // host names.
  slots: 2,
  // The longest queue of passwords takes about 4 s of hashing for one network, and 15 s for all networks.
  maximumWaitingOfKey: 30,
  maximumWaiting: 120,
  overload: 'too many sign-in requests are in progress',
  retryAfterSeconds: 5,
};

/** The pattern of a stored hash in the PHC string format (https://github.com/P-H-C/phc-string-format). */
const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** @param presentCost the cost of new hashes */
export function createPasswords(presentCost: PasswordCost): Passwords {
  const semaphore = createFairSemaphore(queueing);
  const unknown = encode(presentCost, Buffer.alloc(saltBytes), Buffer.alloc(keyBytes));

  const matchGroup = async (password: string, group: readonly string[]): Promise<ReadonlySet<string>> => {
    const { cost, salt, key: first } = decode(group[0] ?? unknown);
    const derived = await derive(password, salt, cost, first.length);
    return new Set(group.filter((hash) => isSame(derived, decode(hash).key)));
  };

  return {
    hash: (password, network, sibling = null) =>
      semaphore.run(network, async () => {
        const salt = saltOf(sibling, presentCost) ?? randomBytes(saltBytes);
        return encode(presentCost, salt, await derive(password, salt, presentCost, keyBytes));
      }),
    matches: async (password, hashes, network) => {
      const matching = new Set<string>();
      for (const group of bySalt(hashes)) {
        const found = await semaphore.run(network, () => matchGroup(password, group));
        found.forEach((hash) => matching.add(hash));
      }
      return hashes.map((hash) => matching.has(hash));
    },
  };
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The salt of a hash; null if the cost of the hash is not the current cost. */
function saltOf(hash: string | null, presentCost: PasswordCost): Buffer | null {
  if (hash === null) {
    return null;
  }
  const { cost, salt } = decode(hash);
  return isDeepStrictEqual(cost, presentCost) ? salt : null;
}

/**
 * Groups hashes with the same cost and salt, because one derivation checks a whole group. Without hashes, the result is
 * one empty group.
 */
function bySalt(hashes: readonly string[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const hash of hashes) {
    const common = hash.slice(0, hash.lastIndexOf('$'));
    groups.set(common, [...(groups.get(common) ?? []), hash]);
  }
  return groups.size === 0 ? [[]] : [...groups.values()];
}

/**
 * Derives a key from the normalized password. Unicode can encode the same characters in several ways, and NIST SP
 * 800-63B requires normalization.
 */
function derive(password: string, salt: Buffer, { ln, r, p }: PasswordCost, length: number): Promise<Buffer> {
  const N = 2 ** ln;
  // `maxmem` is twice the memory that scrypt needs, because Node rejects a derivation that comes near the limit.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * r * (N + p + 2) };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, length, options, (error, key) => {
      if (error === null) {
        resolve(key);
      } else {
        reject(error);
      }
    });
  });
}

function encode({ ln, r, p }: PasswordCost, salt: Buffer, key: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(key)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

function decode(hash: string): { readonly cost: PasswordCost; readonly salt: Buffer; readonly key: Buffer } {
  const [, ln, r, p, salt = '', key = ''] = form.exec(hash) ?? [];
  if (key === '') {
    throw new Error('a stored password hash cannot be read');
  }
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}
