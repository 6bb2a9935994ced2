import type { EventValidation } from '../../shared/domain/events/event.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { waitForEnds, type ModelAndLog } from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/**
 * The events with these ids that the log contains, with their validation. A repeated request asks for its rejected
 * events, because a request that was interrupted may have recorded them under an earlier schema.
 * @throws UnavailableError if the read model does not catch up in time
 */
export type RecordedEvents = (
  accountId: string,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, EventValidation | null>>;

const waitMs = 2000;

export function createRecordedEvents(
  dependencies: ModelAndLog & { readonly events: Pick<ReadModel<EventDocument>, 'findByIds'> },
): RecordedEvents {
  const { events } = dependencies;
  return async (accountId, ids) => {
    if (ids.length === 0) {
      return new Map();
    }
    await waitForEnds(dependencies, { model: 'events', topic: 'events', timeoutMs: waitMs });
    const { documents } = await events.findByIds(accountId, ids, { without: ['data'] });
    const recorded = documents.filter(({ source }) => source !== undefined);
    return new Map(recorded.map(({ _id: id, validation = null }) => [id, validation]));
  };
}
