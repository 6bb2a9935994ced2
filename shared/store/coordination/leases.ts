import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { MongoServerError, type Db } from 'mongodb';

import { withTimeout } from '../../concurrency/withTimeout.js';
import { UnavailableError, UnknownOutcomeError } from '../../core/errors.js';
import { fencedTopics, isFenced, type FencedTopic } from '../../log/records/fence.js';
import type { TopicName } from '../../log/topics/names.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { duplicateKey } from '../models/documentWrites.js';
import { createFloors, type FloorRequest } from './floors.js';

interface LeaseDocument {
  readonly _id: string;
  readonly holder: string;
  /** When the lease expires, by MongoDB's clock. */
  readonly until: Date;
  /** The fencing number, which increases each time the lease is taken. */
  readonly number: number;
  /** The topics that could still receive records of earlier holders when the lease was taken. */
  readonly unfenced: readonly FencedTopic[];
  /**
   * The topics of `unfenced` and the topic of the current holder. A release removes the topic of the current holder.
   */
  readonly writable: readonly FencedTopic[];
  /** Whether the number is above the number of the account's floor. Only leases of tenants have a floor. */
  readonly isFloored?: boolean;
  /** When MongoDB removes the document of a lease of a tenant. Missing while the lease has a holder. */
  readonly forgetAt?: Date;
}

export interface Lease {
  /** The fencing number, which is higher than the fencing number of every earlier lease with the same name. */
  readonly number: number;
  /** The end of the lease by `performance.now()`. No other process has the lease before its deadline. */
  readonly deadline: number;
  /**
   * Whether more than half of the lease's time remains. The holder of a lease that is not fresh must not decide on a
   * command.
   */
  isFresh: () => boolean;
}

export interface FenceRequest extends Pick<Lease, 'number' | 'deadline'> {
  readonly topic: FencedTopic;
}

export interface LeaseRequest {
  readonly name: string;
  /** The topic to which the holder of the lease appends, or null if it appends no commands. */
  readonly topic: TopicName | null;
  /** Further topics whose state the work decides on. */
  readonly reads?: readonly TopicName[];
  /** The floor of the lease, for a lease of a tenant. */
  readonly floor?: FloorRequest;
  /** Whether the name of the lease is new, so that no earlier holder can exist. */
  readonly isNew?: boolean;
  /**
   * Appends fences, after which records of earlier holders in the topic are ineffective. `fence` runs before the work,
   * and only if records of earlier holders may arrive. A command fences the topics whose state it decides on.
   */
  readonly fence: (request: FenceRequest) => Promise<void>;
}

export interface Held<Result> {
  readonly result: Result;
  /** Whether this process still had the lease when the work was done. */
  readonly isOwn: boolean;
}

export interface Leases {
  /**
   * Runs `work` while this process has the lease, and then releases the lease. If the work ends with an
   * `UnknownOutcomeError`, the lease is not released. The lease then expires, and the next holder appends fences.
   * @throws UnavailableError if the lease is not free within a timeout
   */
  hold: <Result>(request: LeaseRequest, work: (lease: Lease) => Promise<Result>) => Promise<Held<Result>>;
  /**
   * Runs `work` unless another process has the lease. If the work takes longer than a lease, another process may start
   * the same work. So `holdIfFree` is for work that two processes may do at the same time.
   * @returns true if the work was run
   */
  holdIfFree: (name: string, work: () => Promise<void>) => Promise<boolean>;
}

const leaseMs = 10_000;
/**
 * The last part of a lease that its holder does not use, in milliseconds, because clocks of two machines run at
 * slightly different rates.
 */
const marginMs = 1000;
/**
 * The timeout for taking a lease, in milliseconds. The timeout for taking a lease is longer than a lease, so that the
 * lease of a crashed process expires in time.
 */
const waitMs = 15_000;
const pollMs = 10;
const releaseTimeoutMs = 2000;
/** How long MongoDB keeps the document of a lease of a tenant after its release, in milliseconds. */
const forgetMs = 3_600_000;

type Taken = Pick<LeaseDocument, 'number' | 'unfenced' | 'isFloored'>;

/**
 * Creates leases that expire by MongoDB's clock alone. A holder measures the remaining time from before its request, by
 * a monotonic clock. So a process that was paused, or whose wall clock was set, never uses an expired lease.
 * ```
 *            take                      release
 *   free ───────────► held ─────────────────────────────► free
 *    ▲                  │ the outcome of an append is unknown, or the holder has crashed
 *    │                  ▼
 *    └── fence ───── expired: taken by another process, which fences its topic first
 * ```
 * A lease without a document may have had a holder before MongoDB was emptied. So the first holder of a lease without a
 * document fences all topics. A lease of a tenant has a floor instead (`floors.ts`), because an account may have many
 * tenants. Its document is removed an hour after its release, so the documents do not grow with the number of tenants.
 */
export function createLeases(database: Db): Leases {
  const leases = database.collection<LeaseDocument>('leases');

  const take = async (name: string, holder: string, update: LeaseUpdate): Promise<Taken | null> => {
    try {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const document = await leases.findOneAndUpdate({ _id: name }, [{ $set: update }], options);
      return document?.holder === holder ? document : null;
    } catch (error) {
      // A duplicate key means that another process inserted the document of the lease first.
      if (error instanceof MongoServerError && error.code === duplicateKey) {
        return null;
      }
      throw error;
    }
  };

  /**
   * Releases the lease.
   * @returns whether the holder still had the lease
   */
  const release = async (
    name: string,
    holder: string,
    {
      writable,
      isFloored,
      isForgotten,
    }: {
      readonly writable: readonly FencedTopic[];
      readonly isFloored: boolean;
      readonly isForgotten: boolean;
    },
  ): Promise<boolean> => {
    const freed = {
      until: new Date(0),
      writable: { $literal: writable },
      ...(isFloored && { isFloored }),
      ...(isForgotten && { forgetAt: { $add: ['$$NOW', forgetMs] } }),
    };
    const update = mapUnavailableErrors(leases.updateOne({ _id: name, holder }, [{ $set: freed }]));
    return (await withTimeout(update, releaseTimeoutMs, 'MongoDB does not respond')).matchedCount === 1;
  };

  /**
   * Takes a lease, and retries until it is free. The deadline counts from before the request, because the lease cannot
   * begin before the request.
   */
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
    const { name, topic, reads = [], floor, fence } = request;
    const holder = randomUUID();
    const taken = await takeInTime(request, holder, until);
    // The next holders of the lease fence the topics that the current holder does not fence.
    let writable = taken.unfenced;
    let isFloored = false;
    const released = () =>
      release(name, holder, {
        writable,
        isFloored,
        isForgotten: floor !== undefined && writable.length === 0,
      });
    try {
      const lease = floor === undefined ? taken : await aboveFloor(taken, { name, holder, floor });
      isFloored = floor !== undefined;
      for (const unfenced of taken.unfenced.filter((one) => one === topic || reads.includes(one))) {
        await fence({ ...lease, topic: unfenced });
        writable = writable.filter((one) => one !== unfenced);
      }
      const result = await work(lease);
      const isInTime = performance.now() < lease.deadline;
      return { result, isOwn: await released().catch(() => isInTime) };
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) {
        // If the release fails, the lease expires.
        await released().catch(() => false);
      }
      throw error;
    }
  };

  /**
   * Makes sure that the account has a floor, and that the number of a lease is above it. The release stores that the
   * lease is floored.
   */
  const aboveFloor = async (
    taken: Lease & Taken,
    { name, holder, floor }: { readonly name: string; readonly holder: string; readonly floor: FloorRequest },
  ): Promise<Lease> => {
    if (taken.isFloored === true) {
      return taken;
    }
    const least = (await floors.ensure(floor)) + 1;
    if (taken.number >= least) {
      return taken;
    }
    // The floor was made just now, or the clock of MongoDB was set back.
    const raised = { number: { $max: ['$number', least] } };
    const document = await mapUnavailableErrors(
      leases.findOneAndUpdate({ _id: name, holder }, [{ $set: raised }], { returnDocument: 'after' }),
    );
    if (document === null) {
      throw new UnavailableError('the change took too long and was not made');
    }
    return { ...taken, number: document.number };
  };

  /**
   * The last request of this process for each lease, which ends the queue of requests. Only the first request in each
   * queue polls MongoDB, because a hundred polls would overload MongoDB.
   */
  const queues = new Map<string, Promise<unknown>>();

  const hold: Leases['hold'] = (request, work) => {
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
  };

  const floors = createFloors(database, async (name, work) => {
    const fence = () => Promise.resolve();
    return (await hold({ name, topic: null, isNew: true, fence }, work)).result;
  });

  return {
    hold,
    holdIfFree: async (name, work) => {
      const holder = randomUUID();
      if ((await mapUnavailableErrors(take(name, holder, takeStage(holder, { isNew: true })))) === null) {
        return false;
      }
      try {
        await work();
      } finally {
        await release(name, holder, { writable: [], isFloored: false, isForgotten: false }).catch(
          () => false,
        );
      }
      return true;
    },
  };
}

type LeaseUpdate = ReturnType<typeof takeStage>;

/**
 * The update that takes a lease if it is free. Each expression reads the document before the update. A document that an
 * earlier version wrote has neither a fencing number nor topics.
 */
function takeStage(
  holder: string,
  { topic, isNew = false, floor }: Partial<Pick<LeaseRequest, 'topic' | 'isNew' | 'floor'>>,
) {
  const isFree = { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
  const ifFree = (value: unknown, field: string) => ({ $cond: [isFree, value, `$${field}`] });
  const unfenced = { $ifNull: ['$writable', isNew || floor !== undefined ? [] : fencedTopics] };
  const own = topic !== undefined && topic !== null && isFenced(topic) ? [topic] : [];
  // The fencing number is at least MongoDB's time, so that it increases even after MongoDB was emptied.
  const number = { $max: [{ $add: [{ $ifNull: ['$number', 0] }, 1] }, { $toLong: '$$NOW' }] };
  return {
    holder: ifFree(holder, 'holder'),
    until: ifFree({ $add: ['$$NOW', leaseMs] }, 'until'),
    number: ifFree(number, 'number'),
    unfenced: ifFree(unfenced, 'unfenced'),
    writable: ifFree({ $setUnion: [unfenced, own] }, 'writable'),
    forgetAt: ifFree('$$REMOVE', 'forgetAt'),
  };
}
