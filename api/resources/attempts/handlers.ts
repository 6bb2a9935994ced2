import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { AttemptDocument } from '../../../shared/store/models/documents.js';
import { attemptIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { jsonAnswer, type Reply } from '../../http/answer.js';
import type { Caller } from '../../http/caller.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { EventLookup } from '../events/eventLookup.js';
import { expiredAttemptCursor, type Expiry } from '../events/expiredCursor.js';
import { rangeOf, readPage, type Paging, type Place } from '../../http/paging.js';
import { isApiError, missingResource } from '../../http/apiError.js';
import type { KeyHandler, noBody } from '../../http/route.js';
import type { WebhookLookup } from '../webhooks/webhookLookup.js';
import { attemptRepresentation } from './representation.js';
import type { listEventAttemptsQuery, listWebhookAttemptsQuery } from './schemas.js';

export interface AttemptHandlers {
  readonly ofEvent: KeyHandler<typeof noBody, typeof listEventAttemptsQuery>;
  readonly ofWebhook: KeyHandler<typeof noBody, typeof listWebhookAttemptsQuery>;
}

export interface AttemptHandlerDependencies {
  readonly attempts: Pick<ReadModel<AttemptDocument>, 'findByIds' | 'findListPage'>;
  readonly events: EventLookup;
  readonly webhooks: Pick<WebhookLookup, 'find'>;
  readonly expiry: Expiry;
}

/** The attempts of one event or one webhook: what a list is of, whatever it is filtered by. */
type ListedBy = { readonly eventId: string } | { readonly webhookId: string };

export function createAttemptHandlers({
  attempts,
  events,
  webhooks,
  expiry,
}: AttemptHandlerDependencies): AttemptHandlers {
  const placeIn = async (listed: ListedBy, owner: Owner, id: string): Promise<Place | null> => {
    const [attempt] = isIdentifier('att', id)
      ? completeDocuments(await attempts.findByIds([id], { owner: owner.accountId }))
      : [];
    if (attempt === undefined) {
      return expiredAttemptCursor(id, expiry);
    }
    return isListed(attempt, listed, owner) ? { id, created: attempt.created } : null;
  };

  const list = async (caller: Caller, listed: ListedBy, filter: object, paging: Paging): Promise<Reply> => {
    const { accountId, mode } = caller;
    const range = await rangeOf(paging, (id) => placeIn(listed, caller, id));
    const index = 'eventId' in listed ? attemptIndexes.byEvent.key : attemptIndexes.byWebhook.key;
    const selection = { filter: { ...listed, ...filter, accountId, mode }, index };
    const page = await readPage(attempts, selection, range);
    return isApiError(page)
      ? page
      : jsonAnswer({ data: page.items.map(attemptRepresentation), hasMore: page.hasMore });
  };

  return {
    ofEvent: async ({ caller, id, query }) => {
      if ((await events.find(caller, id)) === null) {
        return missingResource('event', id);
      }
      const { webhookId } = query;
      return list(caller, { eventId: id }, webhookId === undefined ? {} : { webhookId }, query);
    },

    ofWebhook: async ({ caller, id, query }) => {
      if ((await webhooks.find(caller, id)) === null) {
        return missingResource('webhook', id);
      }
      const status = query.status ?? { $in: ['succeeded', 'failed'] };
      return list(caller, { webhookId: id }, { status }, query);
    },
  };
}

type Owner = Pick<Caller, 'accountId' | 'mode'>;

function isListed(attempt: AttemptDocument, listed: ListedBy, { accountId, mode }: Owner): boolean {
  const isOf =
    'eventId' in listed ? attempt.eventId === listed.eventId : attempt.webhookId === listed.webhookId;
  return isOf && attempt.accountId === accountId && attempt.mode === mode;
}
