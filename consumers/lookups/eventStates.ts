import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../shared/core/errors.js';
import type { EndOffsets, TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import { fromBinary } from '../../shared/store/client/binary.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import {
  allPartitions,
  hasReached,
  type AwaitedOffsets,
  type ModelProgress,
} from '../../shared/store/models/modelProgress.js';
import type { MetaDocument } from '../../shared/store/models/generations.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { LogPosition } from '../../shared/log/records/retry.js';

/** Up to where the model must have read a topic for its answer to count. */
export interface Awaited {
  readonly topic: TopicName;
  readonly offsets: AwaitedOffsets;
}

/** What the log says of an event: never its `data`, which nobody needs while it waits. */
export type EventState = Pick<EventDocument, 'source' | 'deliveries'>;

/** The part of an event that is sent to webhooks. */
export type EventContent = Pick<AcceptedEvent, 'id' | 'type' | 'created' | 'data'>;

export interface EventStates {
  /** As `of`, where the event's own record is in hand and need not be in the model. */
  knownOf: (eventId: string, awaited: readonly Awaited[], signal: AbortSignal) => Promise<EventState | null>;
  /**
   * What is known of an event, once the complete model has read as far as it is asked to. Null if the partition was lost before.
   * @throws UnavailableError if the database is unavailable, or the model is still behind after a minute
   */
  of: (eventId: string, awaited: readonly Awaited[], signal: AbortSignal) => Promise<EventState | null>;
  /**
   * What is to be sent of an event. Null where it is gone: the complete model does not hold it, nor the log any more.
   * @throws UnavailableError where that cannot be told now
   */
  contentOf: (eventId: string) => Promise<EventContent | null>;
}

const shortestPauseMs = 20;
/** So often it is seen whether the partition is still ours. */
const longestWaitMs = 500;
/** After that the record is tried again as a whole, with a log line that names it. */
const longestLookUpMs = 60_000;
/** So long a look-up waits for others that share its read, in milliseconds. */
const gatherMs = 2;
const statesPerRead = 500;
/** Each may be 256 KiB. */
const contentsPerRead = 20;

const nothingKnown: EventState = { deliveries: [] };

/** The position of a record, as what a model must have passed to know of it. */
export function passed(topic: TopicName, position: LogPosition | null): readonly Awaited[] {
  return position === null ? [] : [{ topic, offsets: new Map([[position.partition, position.offset + 1]]) }];
}

/**
 * All outcomes of an event that stand below these ends of `deliveries`. They are in the partition of its id, and what was recorded
 * of events in others is not waited for: after a crash partitions are read one after the other.
 */
export function outcomesBelow(ends: EndOffsets, eventId: string): Awaited {
  const partition = partitionOf(eventId, ends.length);
  return { topic: 'deliveries', offsets: new Map([[partition, ends[partition] ?? 0]]) };
}

/** Looks events up, many in one read. */
export function createEventStates(dependencies: {
  model: ReadModel<EventDocument>;
  progress: ModelProgress;
  offsets: TopicOffsets;
}): EventStates {
  const { model, progress, offsets } = dependencies;
  const states = createGatheredReads((ids) => model.findByIds(ids, { without: ['data'] }), statesPerRead);
  const contents = createGatheredReads((ids) => model.findByIds(ids), contentsPerRead);

  const once = async (eventId: string, awaited: readonly Awaited[]): Promise<EventState | null> => {
    const { document, meta } = await states.read(eventId);
    const suffices =
      meta.complete && awaited.every(({ topic, offsets: wanted }) => hasReached(meta, topic, wanted));
    return suffices ? (document ?? nothingKnown) : null;
  };

  const untilReached: EventStates['of'] = async (eventId, awaited, signal) => {
    const deadline = performance.now() + longestLookUpMs;
    while (!signal.aborted) {
      const state = await once(eventId, awaited);
      if (state !== null) {
        return state;
      }
      if (performance.now() >= deadline) {
        throw new UnavailableError('the read model "events" is behind the log');
      }
      // All who wait share one poll; the pause is for a model that is not complete yet.
      await Promise.all([
        pause(shortestPauseMs),
        ...awaited.map(({ topic, offsets: wanted }) => progress.reached(topic, wanted, longestWaitMs)),
      ]);
    }
    return null;
  };

  /** Absence is an answer only of a model that has passed all that was in the log when it was noticed. */
  const contentAgain = async (eventId: string) => {
    const awaited = allPartitions(await offsets.ends('events'));
    const found = await contents.read(eventId);
    const content = contentIn(found);
    if (content === null && !hasReached(found.meta, 'events', awaited)) {
      throw new UnavailableError('the event is not in the read model');
    }
    return content;
  };

  return {
    knownOf: untilReached,
    of: async (eventId, awaited, signal) => {
      const state = await untilReached(eventId, awaited, signal);
      if (state === null || state.source !== undefined) {
        return state;
      }
      // Absence is an answer only of a model that has passed all that was in the log when it was noticed.
      const events = allPartitions(await offsets.ends('events'));
      return untilReached(eventId, [...awaited, { topic: 'events', offsets: events }], signal);
    },
    contentOf: async (eventId) => contentIn(await contents.read(eventId)) ?? contentAgain(eventId),
  };
}

function contentIn({ document }: Found): EventContent | null {
  return document?.data === undefined || document.type === undefined || document.created === undefined
    ? null
    : { id: document._id, type: document.type, created: document.created, data: fromBinary(document.data) };
}

interface Found {
  readonly document: EventDocument | undefined;
  readonly meta: MetaDocument;
}

/** Reads by id, those of a few milliseconds together, and a bounded number at once. */
function createGatheredReads(
  find: (
    ids: readonly string[],
  ) => Promise<{ readonly documents: readonly EventDocument[]; readonly meta: MetaDocument }>,
  idsPerRead: number,
): { read: (id: string) => Promise<Found> } {
  let gathering: { readonly ids: Set<string>; readonly answer: Promise<(id: string) => Found> } | null = null;

  const readGathered = async (ids: ReadonlySet<string>) => {
    await pause(gatherMs);
    gathering = gathering?.ids === ids ? null : gathering;
    const { documents, meta } = await find([...ids]);
    const byId = new Map(documents.map((document) => [document._id, document]));
    return (id: string) => ({ document: byId.get(id), meta });
  };

  return {
    read: async (id) => {
      if (gathering === null || gathering.ids.size >= idsPerRead) {
        const ids = new Set<string>();
        gathering = { ids, answer: readGathered(ids) };
      }
      gathering.ids.add(id);
      return (await gathering.answer)(id);
    },
  };
}
