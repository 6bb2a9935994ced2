import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { MongoServerError, type Db } from 'mongodb';

import { withTimeout } from '../../concurrency/withTimeout.js';
import { UnavailableError, UnknownOutcomeError } from '../../core/errors.js';
import { fencedTopics, isFenced, type FencedTopic } from '../../log/records/fence.js';
import type { TopicName } from '../../log/topics/names.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { duplicateKey } from '../models/documentWrites.js';

interface LeaseDocument {
  readonly _id: string;
  readonly holder: string;
  /** By the database's clock. */
  readonly until: Date;
  /** The fencing number. It rises whenever the lease is taken. */
  readonly number: number;
  /** Topics that may still receive records of earlier holders, as of the time at which the lease was taken. */
  readonly unfenced: readonly FencedTopic[];
  /** The same topics and that of the current holder. A release removes the latter. */
  readonly writable: readonly FencedTopic[];
}

export interface Lease {
  /** Higher than that of every earlier lease with this name. */
  readonly number: number;
  /** The end of the lease by `performance.now()`. Until then no other process has the lease. */
  readonly deadline: number;
  /** Whether more than half of the lease remains. With less, the holder must not decide any more. */
  isFresh: () => boolean;
}

export interface FenceRequest extends Pick<Lease, 'number' | 'deadline'> {
  readonly topic: FencedTopic;
}

export interface LeaseRequest {
  readonly name: string;
  /** The topic to which the work appends. */
  readonly topic: TopicName;
  /** Whether the name is new, so that no earlier holder can exist. */
  readonly isNew?: boolean;
  /**
   * Makes later records of earlier holders in this topic ineffective. It runs before the work, and only if such records
   * may arrive. The commands of other topics fence their own topic, because no other command decides on its state.
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
   * Runs `work` while no other process runs work with the same name. Then the lease is released. If the work ends with
   * an UnknownOutcomeError, the lease expires instead, and the next holder appends fences.
   * @throws UnavailableError after a timeout without the lease
   */
  hold: <Result>(request: LeaseRequest, work: (lease: Lease) => Promise<Result>) => Promise<Held<Result>>;
  /**
   * Runs `work` unless another process has the lease now. It is for work that any process may do. If the work takes
   * longer than a lease, another process may start it too.
   * @returns true if the work was run
   */
  holdIfFree: (name: string, work: () => Promise<void>) => Promise<boolean>;
}

const leaseMs = 10_000;
/** The end of a lease that its holder does not use, because clocks of two machines run at slightly different rates. */
const marginMs = 1000;
/** Longer than a lease, so that the lease of a crashed process expires meanwhile. */
const waitMs = 15_000;
const pollMs = 10;
const releaseTimeoutMs = 2000;

type Taken = Pick<LeaseDocument, 'number' | 'unfenced'>;

/**
 * Leases that expire by the database's clock alone. A holder measures the remaining time by a monotonic clock that it
 * read before the request. So a process that was paused, or whose wall clock was set, never uses an expired lease.
 * ```
 *            take                      release
 *   free ───────────► held ─────────────────────────────► free
 *    ▲                  │ the outcome of an append is unknown, or the holder has crashed
 *    │                  ▼
 *    └── fence ───── expired: taken by another process, which fences its topic first
 * ```
 * If a lease has no document, an earlier holder may have existed before MongoDB was emptied. So all topics are fenced.
 */
export function createLeases(database: Db): Leases {
  const leases = database.collection<LeaseDocument>('leases');

  const take = async (name: string, holder: string, update: LeaseUpdate): Promise<Taken | null> => {
    try {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const document = await leases.findOneAndUpdate({ _id: name }, [{ $set: update }], options);
      return document?.holder === holder ? document : null;
    } catch (error) {
      // Two processes inserted the document at the same time, and the other one was first.
      if (error instanceof MongoServerError && error.code === duplicateKey) {
        return null;
      }
      throw error;
    }
  };

  /** @returns whether this holder still had the lease */
  const release = async (
    name: string,
    holder: string,
    writable: readonly FencedTopic[],
  ): Promise<boolean> => {
    const freed = { until: new Date(0), writable };
    const update = mapUnavailableErrors(leases.updateOne({ _id: name, holder }, { $set: freed }));
    return (await withTimeout(update, releaseTimeoutMs, 'MongoDB does not respond')).matchedCount === 1;
  };

  /** Takes a lease. The deadline counts from before the request, because the lease cannot have begun earlier. */
  const takeInTime = async (request: LeaseRequest, holder: string, until: number): Promise<Lease & Taken> => {
    const update = takeStage(holder, request);
    for (let askedAt = performance.now(); askedAt < until; askedAt = performance.now()) {
      const taken = await mapUnavailableErrors(take(request.name, holder, update));
      if (taken !== null) {
        const [deadline, freshUntil] = [askedAt + leaseMs - marginMs, askedAt + leaseMs / 2];
        return { ...taken, deadline, isFresh: () => performance.now() < freshUntil };
      }
      await pause(pollMs);
    }
    throw new UnavailableError('another change to this account is in progress');
  };

  const holdAlone = async <Result>(
    request: LeaseRequest,
    until: number,
    work: (lease: Lease) => Promise<Result>,
  ): Promise<Held<Result>> => {
    const { name, topic, fence } = request;
    const holder = randomUUID();
    const lease = await takeInTime(request, holder, until);
    // The next holders fence the topics that this one does not fence.
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
        // After a failure the lease expires.
        await release(name, holder, writable).catch(() => false);
      }
      throw error;
    }
  };

  /**
   * The last holder of this process for each name. Only the first in each queue asks the database, because a hundred
   * polls would overload it.
   */
  const queues = new Map<string, Promise<unknown>>();

  return {
    hold: (request, work) => {
      const { name } = request;
      const until = performance.now() + waitMs;
      const held = (queues.get(name) ?? Promise.resolve()).then(() => holdAlone(request, until, work));
      const last = held
        .catch(() => undefined)
        .finally(() => {
          if (queues.get(name) === last) {
            queues.delete(name);
          }
        });
      queues.set(name, last);
      return held;
    },
    holdIfFree: async (name, work) => {
      const holder = randomUUID();
      if ((await mapUnavailableErrors(take(name, holder, takeStage(holder, { isNew: true })))) === null) {
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

type LeaseUpdate = ReturnType<typeof takeStage>;

/**
 * Each expression reads the document before the update. A document of an earlier version has neither a number nor
 * topics.
 */
function takeStage(holder: string, { topic, isNew = false }: Partial<Pick<LeaseRequest, 'topic' | 'isNew'>>) {
  const isFree = { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
  const ifFree = (value: unknown, field: string) => ({ $cond: [isFree, value, `$${field}`] });
  const unfenced = { $ifNull: ['$writable', isNew ? [] : fencedTopics] };
  const own = topic !== undefined && isFenced(topic) ? [topic] : [];
  // The clock makes the number rise even after MongoDB was emptied.
  const number = { $max: [{ $add: [{ $ifNull: ['$number', 0] }, 1] }, { $toLong: '$$NOW' }] };
  return {
    holder: ifFree(holder, 'holder'),
    until: ifFree({ $add: ['$$NOW', leaseMs] }, 'until'),
    number: ifFree(number, 'number'),
    unfenced: ifFree(unfenced, 'unfenced'),
    writable: ifFree({ $setUnion: [unfenced, own] }, 'writable'),
  };
}
