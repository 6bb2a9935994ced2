import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

import { UnavailableError } from './errors.js';

/** Slow hashes of passwords, a few at a time. */
export interface Passwords {
  /**
   * The hash to keep, with its salt and cost in it.
   * @throws UnavailableError while too many others wait
   */
  hash: (password: string) => Promise<string>;
  /**
   * Whether it is the password of a hash.
   * @param hash null for one whom nobody knows: that takes as long, and is never right
   * @throws UnavailableError while too many others wait
   */
  matches: (password: string, hash: string | null) => Promise<boolean>;
}

interface Cost {
  /** The work factor N, as its logarithm to the base 2. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** One of the equivalent settings of OWASP's Password Storage Cheat Sheet: 32 MiB for a quarter of a second. */
const presentCost: Cost = { ln: 15, r: 8, p: 3 };
const saltBytes = 16;
const keyBytes = 32;

/** Of the four threads that Node has for such work, files and names of hosts among it. */
const atOnce = 2;
/** What waits is answered within some seconds. */
const maximumWaiting = 30;

/** As in the PHC string format (https://github.com/P-H-C/phc-string-format). */
const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

export function createPasswords(): Passwords {
  const inTurn = createTurns();
  const nobodys = encode(presentCost, Buffer.alloc(saltBytes), Buffer.alloc(keyBytes));
  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(saltBytes);
        return encode(presentCost, salt, await derive(password, salt, presentCost, keyBytes));
      }),
    matches: (password, hash) =>
      inTurn(async () => {
        const { cost, salt, key } = decode(hash ?? nobodys);
        const derived = await derive(password, salt, cost, key.length);
        return timingSafeEqual(derived, key) && hash !== null;
      }),
  };
}

type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  const next = () => {
    running -= 1;
    waiting.shift()?.();
  };
  return async (work) => {
    if (waiting.length >= maximumWaiting) {
      throw new UnavailableError('too many people sign in at once', { retryAfterSeconds: 5 });
    }
    if (running >= atOnce) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    running += 1;
    try {
      return await work();
    } finally {
      next();
    }
  };
}

/** The same characters are written in several ways in Unicode, and keyboards differ: NIST SP 800-63B asks for one of them. */
function derive(password: string, salt: Buffer, { ln, r, p }: Cost, length: number): Promise<Buffer> {
  const N = 2 ** ln;
  // Twice what it takes: Node refuses work whose memory comes near the limit.
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

function encode({ ln, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${unpadded(salt)}$${unpadded(key)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

function decode(hash: string): { readonly cost: Cost; readonly salt: Buffer; readonly key: Buffer } {
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
