import { UnavailableError } from '../../shared/core/errors.js';

/** The count of response bytes that clients have not read. Unread response bytes occupy memory of the API process. */
export interface UnsentBytes {
  /** Whether an owner may get more response bytes. An owner is an account, or the network of an anonymous client. */
  readonly hasRoom: (owner: string, bytes: number) => boolean;
  /** @throws UnavailableError if an owner may not get so many more response bytes */
  readonly requireRoom: (owner: string, bytes: number) => void;
  /**
   * Counts response bytes before they are sent.
   * @returns a function that removes the bytes from the count once
   */
  readonly add: (owner: string, bytes: number) => () => void;
  readonly total: () => number;
}

export interface UnsentBytesLimits {
  readonly ofProcess: number;
  readonly ofOwner: number;
}

const retryAfterSeconds = 5;

const defaultLimits: UnsentBytesLimits = { ofProcess: 48 * 1024 * 1024, ofOwner: 12 * 1024 * 1024 };

export function createUnsentBytes({ ofProcess, ofOwner }: UnsentBytesLimits = defaultLimits): UnsentBytes {
  const byOwner = new Map<string, number>();
  let total = 0;

  const change = (owner: string, by: number) => {
    const bytes = (byOwner.get(owner) ?? 0) + by;
    total += by;
    if (bytes === 0) {
      byOwner.delete(owner);
    } else {
      byOwner.set(owner, bytes);
    }
  };

  const hasRoom = (owner: string, bytes: number) => {
    const own = (byOwner.get(owner) ?? 0) + bytes;
    // At the limit of the process each owner still has an equal share, so that slow clients do not block other owners.
    const share = ofProcess / Math.max(1, byOwner.size);
    return own <= ofOwner && (total + bytes <= ofProcess || own <= share);
  };

  return {
    hasRoom,
    requireRoom: (owner, bytes) => {
      if (!hasRoom(owner, bytes)) {
        throw new UnavailableError('too many bytes of earlier responses are unread', { retryAfterSeconds });
      }
    },
    add: (owner, bytes) => {
      change(owner, bytes);
      let isCounted = true;
      return () => {
        if (isCounted) {
          isCounted = false;
          change(owner, -bytes);
        }
      };
    },
    total: () => total,
  };
}
