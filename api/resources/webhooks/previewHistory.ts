import { createFairSemaphore } from '../../../shared/concurrency/fairSemaphore.js';
import { commonLimitKey } from '../../../shared/domain/tenants/deliveryTenant.js';
import { everyType } from '../../../shared/domain/events/eventPattern.js';
import { everyTenant } from '../../../shared/domain/tenants/tenantId.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { FilteredEvent } from '../../../shared/filters/evaluateFilter.js';
import type { Filters } from '../../../shared/filters/filters.js';
import { fromBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { waitForEnds, type ModelAndLog } from '../../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { typesMatching } from '../../../shared/store/queries/eventTypes.js';
import { limitOwnerOf, type Owner } from '../../http/ownership.js';
import { createReadSlice, type SlicedSelection } from '../../scans/eventSlices.js';
import { scanSlices, type ReadPart, type ScanLimits } from '../../scans/scanSlices.js';
import { maximumCheckedEvents, maximumSamplesOfKind } from './previewSchemas.js';

export interface HistoryRequest {
  readonly caller: Owner;
  readonly webhook: Pick<Webhook, 'events' | 'tenantId'>;
  readonly since: Date;
  /** The JSON text of the candidate; null matches every event. */
  readonly filter: string | null;
}

/** An event of the log, and the first condition of the candidate that it fails. */
interface Sample {
  readonly eventId: string;
  readonly type: string;
  readonly created: string;
  readonly matches: boolean;
  readonly condition: string | null;
}

export interface HistoryCount {
  readonly checked: number;
  readonly matched: number;
  readonly failed: number;
  readonly samples: readonly Sample[];
  readonly complete: boolean;
}

/**
 * Tries a filter on the newest events of the types and the tenant of a webhook.
 * @throws UnavailableError if the read model is unavailable, incomplete or too slow, or if other previews occupy the
 *   process
 */
export type PreviewHistory = (request: HistoryRequest) => Promise<HistoryCount>;

/** The events whose types and tenant the webhook gets. */
export type SelectEvents = (
  owner: Owner,
  filter: {
    readonly createdGte: Date;
    readonly type: readonly string[] | undefined;
    readonly tenantId: string | null | undefined;
  },
) => SlicedSelection;

/** The progress is that of the read model `events`. */
export interface PreviewHistoryDependencies extends ModelAndLog {
  readonly events: Pick<ReadModels['events'], 'countPage' | 'findListPage' | 'findValues'>;
  readonly selectEvents: SelectEvents;
  readonly filters: Pick<Filters, 'failedCondition'>;
  readonly limits: ScanLimits;
}

const modelTimeoutMs = 5000;
/** The limits of one read, whose documents are in memory at once. */
const [maximumRead, maximumReadBytes] = [500, 2 * 1024 * 1024];
/** The documents that MongoDB sends at once, which may have 256 KiB each. */
const batchSize = 50;

export function createPreviewHistory(dependencies: PreviewHistoryDependencies): PreviewHistory {
  const { events, selectEvents, limits } = dependencies;
  const semaphore = createFairSemaphore({
    slots: 2,
    slotsOfKey: 1,
    maximumWaiting: 20,
    maximumWaitMs: 2000,
    overload: 'too many previews are running at the same time',
    retryAfterSeconds: 1,
  });

  const run = async ({ caller, webhook, since, filter }: HistoryRequest): Promise<HistoryCount> => {
    await waitForEnds(dependencies, { model: 'events', topic: 'events', timeoutMs: modelTimeoutMs });
    const isOfAllTypes = webhook.events.includes(everyType);
    const type = isOfAllTypes ? undefined : await typesMatching(events, caller, webhook.events);
    const count = createCount(dependencies.filters, filter);
    if (type?.length === 0) {
      return count.result(true);
    }
    const tenantId = webhook.tenantId === everyTenant ? undefined : webhook.tenantId;
    const selection = selectEvents(caller, { createdGte: since, type, tenantId });
    const scan = { readSlice: createReadSlice(events, selection, 'older'), place: null, limits };
    const scanned = await scanSlices(scan, async ({ ranges }, hasTime) => {
      const { documents, hasMore } = await events.findListPage({
        ...{ ranges, index: selection.index, share: caller.accountId, batchSize },
        limit: Math.min(maximumRead, maximumCheckedEvents - count.checked()),
        maximumBytes: maximumReadBytes,
        projection: { type: 1, created: 1, tenantId: 1, onlyWebhookId: 1, data: 1 },
      });
      const part = await count.check(documents, hasTime);
      return { ...part, reached: part.reached ?? (hasMore ? positionOf(documents.at(-1)) : null) };
    });
    return count.result(scanned.isEnd || scanned.isFull);
  };

  return (request) => semaphore.run(commonLimitKey(limitOwnerOf(request.caller)), () => run(request));
}

function createCount(filters: Pick<Filters, 'failedCondition'>, filter: string | null) {
  const samples: Sample[] = [];
  const counts = { true: 0, false: 0 };
  const checked = () => counts.true + counts.false;

  const add = async ({ id, type, created, ...event }: FilteredEvent) => {
    const condition =
      filter === null ? null : await filters.failedCondition(filter, { id, type, created, ...event });
    const matches = condition === null;
    if (counts[`${matches}`] < maximumSamplesOfKind) {
      samples.push({ eventId: id, type, created: created.toISOString(), matches, condition });
    }
    counts[`${matches}`] += 1;
  };

  return {
    checked,
    /** Checks events until there are enough, or the time has passed. */
    check: async (documents: readonly EventDocument[], hasTime: () => boolean): Promise<ReadPart> => {
      for (const document of documents) {
        const event = eventOf(document);
        if (event !== null) {
          await add(event);
        }
        const isFull = checked() === maximumCheckedEvents;
        if (isFull || !hasTime()) {
          return { reached: positionOf(document), isFull };
        }
      }
      return { reached: null, isFull: false };
    },
    result: (complete: boolean): HistoryCount => ({
      ...{ checked: checked(), matched: counts.true, failed: 0, samples, complete },
    }),
  };
}

/** The event of a document; null for a test delivery, which no filter concerns. */
function eventOf({ _id: id, type, created, data, tenantId, onlyWebhookId }: EventDocument) {
  return type === undefined || created === undefined || data === undefined || onlyWebhookId !== null
    ? null
    : { id, type, created, data: fromBinary(data), tenantId: tenantId ?? null };
}

function positionOf(document: EventDocument | undefined) {
  return document?.created === undefined ? null : { id: document._id, created: document.created };
}
