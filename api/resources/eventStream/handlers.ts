import { UnavailableError } from '../../../shared/core/errors.js';
import type { Identifiers } from '../../../shared/domain/core/identifiers.js';
import { maximumStreams, type StreamSlots } from '../../../shared/store/redis/streamSlots.js';
import { apiError } from '../../http/apiError.js';
import type { UnsentBytes } from '../../server/unsentBytes.js';
import type { EventLookup } from '../events/eventLookup.js';
import {
  createEventPoller,
  type EventPoller,
  type EventPollerDependencies,
  type EventSelection,
} from './eventPoller.js';
import type { EventStreamHandlers } from './routes.js';
import { streamEvents } from './streamEvents.js';

export interface EventStreamDependencies extends EventPollerDependencies {
  readonly identifiers: Identifiers;
  readonly lookup: EventLookup;
  readonly streamSlots: StreamSlots;
  readonly stopping: AbortSignal;
  readonly unsentBytes: UnsentBytes;
}

const retryAfterSeconds = 15;

export function createEventStreamHandlers(dependencies: EventStreamDependencies): EventStreamHandlers {
  const { identifiers, lookup, streamSlots, stopping, unsentBytes, clock } = dependencies;

  const beginning = async (selection: EventSelection): Promise<EventPoller> => {
    const poller = createEventPoller(dependencies, selection);
    if (selection.since === null) {
      // Before the response, so that every event posted after it is new.
      await poller.poll();
    }
    return poller;
  };

  return {
    stream: async ({ caller, query, client }) => {
      if (stopping.aborted) {
        throw new UnavailableError('the process is stopping');
      }
      const { lastEventId } = client;
      const last = lastEventId === null ? null : await lookup.find(caller, lastEventId);
      const poller = await beginning({
        owner: caller,
        types: query.type ?? null,
        since: last?.created ?? null,
      });
      const slot = await streamSlots.take(caller.accountId, identifiers.createRecordId(clock()));
      if (slot === null) {
        return tooMany;
      }
      const content = streamEvents({
        poller,
        beginsWithGap: lastEventId !== null && last === null,
        client,
        slot,
        stopping,
        owner: caller.accountId,
        unsentBytes,
      });
      // Proxies must forward each event immediately.
      return { content, contentType: 'text/event-stream', headers: { 'X-Accel-Buffering': 'no' } };
    },
  };
}

const tooMany = apiError(
  'rate_limit_exceeded',
  `An account has at most ${String(maximumStreams)} streams at once. Close another stream first.`,
  { headers: { 'Retry-After': String(retryAfterSeconds) } },
);
