import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { MongoServerError, type Db } from 'mongodb';

import { UnavailableError, UnknownOutcomeError } from '../../core/errors.js';
import { withTimeout } from '../../concurrency/withTimeout.js';
import { fencedTopics, isFenced, type FencedTopic } from '../../log/records/fence.js';
import type { TopicName } from '../../log/topics/names.js';
import { duplicateKey } from '../models/documentWrites.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';

interface LeaseDocument {
  readonly _id: string;
  readonly holder: string;
  /** By the database's clock. */
  readonly until: Date;
  /** The fencing number. It rises whenever the lease is taken. */
  readonly number: number;
  /** Topics in which records of earlier holders may still arrive, as of when the lease was taken. */
  readonly unfenced: readonly FencedTopic[];
  /** The same topics and that of the present holder. A release removes the latter. */
  readonly writable: readonly FencedTopic[];
}

export interface Lease {
  /** Higher than that of every earlier lease with this name. */
  readonly number: number;
  /** By `performance.now()`: until then no other process has the lease. */
  readonly deadline: number;
  /** Whether more than half of the lease remains. With less, nothing may be decided any more. */
  isFresh: () => boolean;
}

export interface FenceRequest extends Pick<Lease, 'number' | 'deadline'> {
  readonly topic: FencedTopic;
}

export interface LeaseRequest {
  readonly name: string;
  /** The topic to which the work appends. */
  readonly topic: TopicName;
  /** Whether the name is new, so that there cannot have been an earlier holder. */
  readonly isNew?: boolean;
  /**
   * Makes what earlier holders write to this topic later ineffective. It runs before the work, and only if such records may arrive.
   * Those of other topics are left to the commands of these topics: nothing else decides on their state.
   */
  readonly fence: (request: FenceRequest) => Promise<void>;
}

export interface Held<Result> {
  readonly result: Result;
  /** Whether no other process had taken the lease when the work was done. */
  readonly isOwn: boolean;
}

export interface Leases {
  /**
   * Runs `work` while no other process runs any with the same name. The lease is released afterwards, unless the work ends with an
   * UnknownOutcomeError: then it expires, and the next holder appends fences.
   * @throws UnavailableError if the lease could not be taken in time
   */
  hold: <Result>(request: LeaseRequest, work: (lease: Lease) => Promise<Result>) => Promise<Held<Result>>;
  /**
   * Runs `work` unless another process has the lease now: for work that any process may do. If the work takes longer than a lease,
   * another process may start it too.
   * @returns whether the work was run
   */
  holdIfFree: (name: string, work: () => Promise<void>) => Promise<boolean>;
}

const leaseMs = 10_000;
/** The end of a lease that its holder does not use: clocks of two machines do not run at exactly the same rate. */
const marginMs = 1000;
/** Longer than a lease: the lease of a process that has died expires meanwhile. */
const waitMs = 15_000;
const pollMs = 10;
const releaseTimeoutMs = 2000;

type Taken = Pick<LeaseDocument, 'number' | 'unfenced'>;

/**
 * Leases that expire by the database's clock alone. Their holders measure the rest by a monotonic clock that was read before the
 * request, so a process that was paused, or whose wall clock was set, never takes an expired lease for its own.
 *
 * ```
 *            take                      release
 *   free ───────────► held ─────────────────────────────► free
 *    ▲                  │ the outcome of an append is unknown, or the holder has died
 *    │                  ▼
 *    └── fence ───── expired: taken by another process, which fences its topic first
 * ```
 *
 * A lease without a document may have had any holder before MongoDB was emptied, so all topics are to be fenced.
 */
export function createLeases(database: Db): Leases {
  const leases = database.collection<LeaseDocument>('leases');

  const take = async (name: string, holder: string, update: LeaseUpdate): Promise<Taken | null> => {
    try {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const document = await leases.findOneAndUpdate({ _id: name }, [{ $set: update }], options);
      return document?.holder === holder ? document : null;
    } catch (error) {
      // Two processes made the document at once, and the other one was first.
      if (error instanceof MongoServerError && error.code === duplicateKey) {
        return null;
      }
      throw error;
    }
  };

  /** @returns whether the lease was still this holder's */
  const release = async (
    name: string,
    holder: string,
    writable: readonly FencedTopic[],
  ): Promise<boolean> => {
    const freed = { until: new Date(0), writable };
    const update = mapUnavailableErrors(leases.updateOne({ _id: name, holder }, { $set: freed }));
    return (await withTimeout(update, releaseTimeoutMs, 'the database does not answer')).matchedCount === 1;
  };

  /** Takes a lease. The deadline counts from before the request: the lease cannot have begun earlier. */
  const takeInTime = async (request: LeaseRequest, holder: string, until: number): Promise<Lease & Taken> => {
    const update = takingStage(holder, request);
    for (let askedAt = performance.now(); askedAt < until; askedAt = performance.now()) {
      const taken = await mapUnavailableErrors(take(request.name, holder, update));
      if (taken !== null) {
        const [deadline, freshUntil] = [askedAt + leaseMs - marginMs, askedAt + leaseMs / 2];
        return { ...taken, deadline, isFresh: () => performance.now() < freshUntil };
      }
      await pause(pollMs);
    }
    throw new UnavailableError('other changes to this account are in progress');
  };

  const holdAlone = async <Result>(
    request: LeaseRequest,
    until: number,
    work: (lease: Lease) => Promise<Result>,
  ): Promise<Held<Result>> => {
    const { name, topic, fence } = request;
    const holder = randomUUID();
    const lease = await takeInTime(request, holder, until);
    // What is not fenced is left to the next holders.
    let writable = lease.unfenced;
    try {
      if (isFenced(topic) && writable.includes(topic)) {
        await fence({ ...lease, topic });
        writable = writable.filter((unfenced) => unfenced !== topic);
      }
      const result = await work(lease);
      const isInTime = performance.now() < lease.deadline;
      return { result, isOwn: await release(name, holder, writable).catch(() => isInTime) };
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) {
        // If this fails the lease expires.
        await release(name, holder, writable).catch(() => false);
      }
      throw error;
    }
  };

  /** The last holder of this process for each name. Only the first of a line asks the database: a hundred that poll would starve it. */
  const lines = new Map<string, Promise<unknown>>();

  return {
    hold: (request, work) => {
      const { name } = request;
      const until = performance.now() + waitMs;
      const held = (lines.get(name) ?? Promise.resolve()).then(() => holdAlone(request, until, work));
      const last = held
        .catch(() => undefined)
        .finally(() => {
          if (lines.get(name) === last) {
            lines.delete(name);
          }
        });
      lines.set(name, last);
      return held;
    },
    holdIfFree: async (name, work) => {
      const holder = randomUUID();
      if ((await mapUnavailableErrors(take(name, holder, takingStage(holder, { isNew: true })))) === null) {
        return false;
      }
      try {
        await work();
      } finally {
        await release(name, holder, []).catch(() => false);
      }
      return true;
    },
  };
}

type LeaseUpdate = ReturnType<typeof takingStage>;

/** Each expression sees the document as it was before. One of an earlier version has neither a number nor topics. */
function takingStage(
  holder: string,
  { topic, isNew = false }: Partial<Pick<LeaseRequest, 'topic' | 'isNew'>>,
) {
  const isFree = { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
  const ifFree = (value: unknown, field: string) => ({ $cond: [isFree, value, `$${field}`] });
  const unfenced = { $ifNull: ['$writable', isNew ? [] : fencedTopics] };
  const own = topic !== undefined && isFenced(topic) ? [topic] : [];
  // The clock makes it rise even after MongoDB was emptied.
  const number = { $max: [{ $add: [{ $ifNull: ['$number', 0] }, 1] }, { $toLong: '$$NOW' }] };
  return {
    holder: ifFree(holder, 'holder'),
    until: ifFree({ $add: ['$$NOW', leaseMs] }, 'until'),
    number: ifFree(number, 'number'),
    unfenced: ifFree(unfenced, 'unfenced'),
    writable: ifFree({ $setUnion: [unfenced, own] }, 'writable'),
  };
}
