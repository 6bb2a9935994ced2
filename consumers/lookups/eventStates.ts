import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../shared/core/errors.js';
import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import type { EndOffsets, TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { EventPosition } from '../../shared/log/records/retry.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import { fromBinary } from '../../shared/store/client/binary.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import type { MetaDocument } from '../../shared/store/models/generations.js';
import {
  allPartitions,
  hasReached,
  type AwaitedOffsets,
  type ModelProgress,
} from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import { deliveryPartitionsOf } from '../../shared/store/queries/storedDocuments.js';

/** The offsets of a topic that the model `events` must have passed before its answer is valid. */
export interface Awaited {
  readonly topic: TopicName;
  readonly offsets: AwaitedOffsets;
  /** The ends of `deliveries`. The model must also have passed the ends of all partitions that the document names. */
  readonly ends?: EndOffsets;
}

/** The position and the deliveries of an event, without its `data`, which is not needed while a delivery waits. */
export type EventState = Pick<EventDocument, 'source' | 'deliveries' | 'matched'>;

/** The part of an event that is sent to webhooks. */
export type EventContent = Pick<
  AcceptedEvent,
  'id' | 'type' | 'created' | 'data' | 'tenantId' | 'attributes'
>;

export interface EventStates {
  /** Returns the state of an event like `of`, without the wait for the event's record, which the caller has. */
  readonly knownOf: (
    eventId: string,
    awaited: readonly Awaited[],
    signal: AbortSignal,
  ) => Promise<EventState | null>;
  /**
   * Returns the state of an event, read when the complete model has passed the awaited offsets. Returns null if the
   * partition was lost before the read.
   * @throws UnavailableError if the database is unavailable, or the model is still behind after a minute
   */
  readonly of: (
    eventId: string,
    awaited: readonly Awaited[],
    signal: AbortSignal,
  ) => Promise<EventState | null>;
  /**
   * Returns the content of an event. Returns null if the event has expired: neither the complete model nor the log
   * contains it.
   * @throws UnavailableError if the content is not known now
   */
  readonly contentOf: (eventId: string) => Promise<EventContent | null>;
}

const shortestPauseMs = 20;
/** The interval at which a waiting look-up checks whether the partition was lost, in milliseconds. */
const longestWaitMs = 500;
/**
 * The time after which the look-up of an event's state fails. The caller retries its record and logs the record's
 * position.
 */
const longestLookUpMs = 60_000;
/** How long a look-up waits for other look-ups that share its read, in milliseconds. */
const batchDelayMs = 2;
const statesPerRead = 500;
/** The most event contents in one read: fewer than states, because the data of each event may have 256 KiB. */
const contentsPerRead = 20;

const nothingKnown: EventState = { deliveries: [] };

/**
 * The offsets that a model has passed when it contains the record at the given position. An unknown position is not
 * awaited.
 */
export function passed(topic: TopicName, position: EventPosition | null): readonly Awaited[] {
  const offset = position?.offset ?? null;
  return position === null || offset === null
    ? []
    : [{ topic, offsets: new Map([[position.partition, offset + 1]]) }];
}

/**
 * The offsets that a model has passed when it contains all outcomes of an event below the given ends of `deliveries`. The
 * outcomes of an event are in its home partition, and in each other partition that its document names. The look-up does
 * not wait for other partitions, because after a crash the projections read partitions one after the other.
 */
export function outcomesBelow(ends: EndOffsets, partitions: readonly number[]): Awaited {
  return { topic: 'deliveries', offsets: endsOf(ends, partitions), ends };
}

/** The ends of some partitions as awaited offsets. */
export function endsOf(ends: EndOffsets, partitions: readonly number[]): AwaitedOffsets {
  return new Map(partitions.map((partition) => [partition, ends[partition] ?? 0]));
}

/** Creates look-ups of events that share reads. */
export function createEventStates(dependencies: {
  model: ReadModel<EventDocument>;
  progress: ModelProgress;
  offsets: TopicOffsets;
}): EventStates {
  const { model, progress, offsets } = dependencies;
  const states = createBatchedReads(
    (ids) => model.findInAllAccounts(ids, { without: ['data'] }),
    statesPerRead,
  );
  const contents = createBatchedReads((ids) => model.findInAllAccounts(ids), contentsPerRead);

  const readIfReached = async (eventId: string, awaited: readonly Awaited[]): Promise<EventState | null> => {
    const { document, meta } = await states.read(eventId);
    const suffices =
      meta.complete &&
      awaited.every(
        ({ topic, offsets: wanted, ends }) =>
          hasReached(meta, topic, wanted) && hasReached(meta, topic, namedIn(document, ends)),
      );
    return suffices ? (document ?? nothingKnown) : null;
  };

  const untilReached: EventStates['of'] = async (eventId, awaited, signal) => {
    const deadline = performance.now() + longestLookUpMs;
    while (!signal.aborted) {
      const state = await readIfReached(eventId, awaited);
      if (state !== null) {
        return state;
      }
      if (performance.now() >= deadline) {
        throw new UnavailableError('the read model "events" is behind the log');
      }
      // Waiting look-ups share one poll of the model's progress. The pause limits the reads while the model is
      // incomplete.
      await Promise.all([
        pause(shortestPauseMs),
        ...awaited.map(({ topic, offsets: wanted }) => progress.reached(topic, wanted, longestWaitMs)),
      ]);
    }
    return null;
  };

  /**
   * Reads the content of an event again that is missing. Absence is final only if the model has passed the end that the
   * log had when the event was missing. It does not wait for the model, because an attempt reads the content in its slot.
   */
  const readAgain = async (eventId: string) => {
    const awaited = allPartitions(await offsets.ends('events'));
    const found = await contents.read(eventId);
    const content = contentIn(found);
    if (content === null && !hasReached(found.meta, 'events', awaited)) {
      throw new UnavailableError('the read model "events" is behind the log');
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
      // Absence of an event is final only if the model has passed the end that the log had when the event was missing.
      const events = allPartitions(await offsets.ends('events'));
      return untilReached(eventId, [...awaited, { topic: 'events', offsets: events }], signal);
    },
    contentOf: async (eventId) => contentIn(await contents.read(eventId)) ?? readAgain(eventId),
  };
}

/** The ends of the partitions of `deliveries` that a document names. */
function namedIn(document: EventDocument | undefined, ends: EndOffsets | undefined): AwaitedOffsets {
  return endsOf(
    ends ?? [],
    document === undefined || ends === undefined ? [] : deliveryPartitionsOf(document),
  );
}

function contentIn({ document }: Found): EventContent | null {
  if (document?.data === undefined || document.type === undefined || document.created === undefined) {
    return null;
  }
  const { _id: id, type, created, data, tenantId = null, attributes } = document;
  const content = { id, type, created, data: fromBinary(data), tenantId };
  return attributes === undefined ? content : { ...content, attributes };
}

interface Found {
  readonly document: EventDocument | undefined;
  readonly meta: MetaDocument;
}

/** Batches reads by id: the reads of a few milliseconds share one query, up to `idsPerRead` ids. */
function createBatchedReads(
  find: (
    ids: readonly string[],
  ) => Promise<{ readonly documents: readonly EventDocument[]; readonly meta: MetaDocument }>,
  idsPerRead: number,
): { read: (id: string) => Promise<Found> } {
  let batch: { readonly ids: Set<string>; readonly answer: Promise<(id: string) => Found> } | null = null;

  const readBatch = async (ids: ReadonlySet<string>) => {
    await pause(batchDelayMs);
    batch = batch?.ids === ids ? null : batch;
    const { documents, meta } = await find([...ids]);
    const byId = new Map(documents.map((document) => [document._id, document]));
    return (id: string) => ({ document: byId.get(id), meta });
  };

  return {
    read: async (id) => {
      if (batch === null || batch.ids.size >= idsPerRead) {
        const ids = new Set<string>();
        batch = { ids, answer: readBatch(ids) };
      }
      batch.ids.add(id);
      return (await batch.answer)(id);
    },
  };
}
