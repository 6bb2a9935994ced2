import type { Identifiers } from '../../../shared/domain/core/identifiers.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { maximumStreams, type StreamSlots } from '../../../shared/store/redis/streamSlots.js';
import type { EventLookup } from '../events/eventLookup.js';
import { apiError } from '../../http/apiError.js';
import type { KeyHandler, noBody } from '../../http/route.js';
import type { UnsentBytes } from '../../server/unsentBytes.js';
import { streamEvents } from './streamEvents.js';
import {
  createNewEvents,
  type NewEvents,
  type NewEventsDependencies,
  type NewEventsSelection,
} from './newEvents.js';
import type { streamEventsQuery } from './schemas.js';

export interface EventStreamHandlers {
  readonly stream: KeyHandler<typeof noBody, typeof streamEventsQuery>;
}

export interface EventStreamDependencies extends NewEventsDependencies {
  readonly identifiers: Identifiers;
  readonly lookup: EventLookup;
  readonly streamSlots: StreamSlots;
  readonly stopping: AbortSignal;
  readonly unsentBytes: UnsentBytes;
}

const retryAfterSeconds = 15;

export function createEventStreamHandlers(dependencies: EventStreamDependencies): EventStreamHandlers {
  const { identifiers, lookup, streamSlots, stopping, unsentBytes, clock } = dependencies;

  const beginning = async (selection: NewEventsSelection): Promise<NewEvents> => {
    const recent = createNewEvents(dependencies, selection);
    if (selection.since === null) {
      // Before the answer: what is posted once a reader has it is new.
      await recent.look();
    }
    return recent;
  };

  return {
    stream: async ({ caller, query, client }) => {
      if (stopping.aborted) {
        throw new UnavailableError('this process stops');
      }
      const { lastEventId } = client;
      const last = lastEventId === null ? null : await lookup.find(caller, lastEventId);
      const recent = await beginning({
        owner: caller,
        types: query.type ?? null,
        since: last?.created ?? null,
      });
      const slot = await streamSlots.take(caller.accountId, identifiers.createRecordId(clock()));
      if (slot === null) {
        return tooMany;
      }
      const content = streamEvents({
        recent,
        beginsWithGap: lastEventId !== null && last === null,
        client,
        slot,
        stopping,
        owner: caller.accountId,
        unsentBytes,
      });
      // What stands between must hand each event on at once.
      return { content, contentType: 'text/event-stream', headers: { 'X-Accel-Buffering': 'no' } };
    },
  };
}

const tooMany = apiError(
  'rate_limit_exceeded',
  `An account has at most ${String(maximumStreams)} streams at once: end another one first.`,
  { headers: { 'Retry-After': String(retryAfterSeconds) } },
);
