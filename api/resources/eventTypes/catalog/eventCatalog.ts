import { createHash } from 'node:crypto';

import { createFairSemaphore } from '../../../../shared/concurrency/fairSemaphore.js';
import {
  maximumBytesPerMode,
  maximumTypesPerMode,
  type EventType,
} from '../../../../shared/domain/eventTypes/eventType.js';
import { eventTypeIndexes } from '../../../../shared/store/models/indexes.js';
import type { ReadModels } from '../../../../shared/store/models/readModels.js';
import { storedEventType } from '../../../../shared/store/queries/storedDocuments.js';
import type { Caller } from '../../../http/context.js';
import { accountFilter } from '../../../http/ownership.js';
import { rangesOf } from '../../../http/paging.js';
import type { HttpResponse } from '../../../http/response.js';
import { writeCatalogDocument } from './catalogDocument.js';

/** The catalog document of an account and mode, for code generators. */
export interface EventCatalog {
  readonly read: (owner: Pick<Caller, 'accountId' | 'mode'>) => Promise<HttpResponse>;
}

/** The size of a document of an event type without schema and examples in the read model, in bytes; an upper limit. */
const bytesOfFields = 8 * 1024;

/** The version of the form of the document. It changes the entity tags when the form changes. */
const formVersion = '2';

export function createEventCatalog(eventTypes: Pick<ReadModels['eventTypes'], 'findListPage'>): EventCatalog {
  // The parsed schemas of a catalog occupy some tens of megabytes.
  const semaphore = createFairSemaphore({
    slots: 2,
    slotsOfKey: 1,
    maximumWaiting: 20,
    maximumWaitingOfKey: 5,
    maximumWaitMs: 2000,
    overload: 'too many catalogs are being written at the same time',
    retryAfterSeconds: 1,
  });

  const allOf = async ({ accountId, mode }: Pick<Caller, 'accountId' | 'mode'>) => {
    const { documents } = await eventTypes.findListPage({
      ranges: rangesOf(
        { ...accountFilter({ accountId, mode }), status: 'active' },
        { direction: 'newer', place: null },
      ),
      limit: maximumTypesPerMode,
      index: eventTypeIndexes.list.key,
      without: ['recordIds', 'positions'],
      maximumBytes: maximumBytesPerMode + maximumTypesPerMode * bytesOfFields,
      batchSize: 100,
      share: accountId,
    });
    return documents.map(storedEventType).filter((eventType) => eventType.status === 'active');
  };

  return {
    read: (owner) =>
      semaphore.run(owner.accountId, async () => {
        const all = await allOf(owner);
        return {
          content: await writeCatalogDocument(all),
          headers: { ETag: `"${tagOf(all)}"`, 'Cache-Control': 'private, no-cache' },
        };
      }),
  };
}

function tagOf(eventTypes: readonly EventType[]): string {
  const hash = createHash('sha256').update(formVersion);
  for (const { name, created, updated, revision } of eventTypes) {
    hash.update(`/${name}/${revision}/${created.getTime()}/${updated.getTime()}`);
  }
  return hash.digest('base64url');
}
