/** Counts the bytes of responses that clients have not read yet: they are in the memory of this process. */
export interface UnsentBytes {
  /** Whether so many more bytes can be sent to an owner. An owner is an account, or the network of a client without one. */
  readonly hasRoom: (owner: string, bytes: number) => boolean;
  /**
   * Counts bytes that are about to be sent.
   * @returns ends the count of these bytes, once
   */
  readonly add: (owner: string, bytes: number) => () => void;
  readonly total: () => number;
}

export interface UnsentBytesLimits {
  readonly ofProcess: number;
  readonly ofOwner: number;
}

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

  return {
    hasRoom: (owner, bytes) => {
      const own = (byOwner.get(owner) ?? 0) + bytes;
      // If the process has reached its limit, each owner still has an equal share: slow clients of some owners do not stop the others.
      const share = ofProcess / Math.max(1, byOwner.size);
      return own <= ofOwner && (total + bytes <= ofProcess || own <= share);
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
