import { identifierTime, isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { WebhookDocument } from '../../../shared/store/models/documents.js';
import { existing, webhookIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { apiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import { isOwned, ownedFilter, type OwnedFilter, type Owner } from '../../http/ownership.js';
import { rangesOf, type ListPosition } from '../../http/paging.js';

/** Reads of webhooks. Reading a webhook throws UnavailableError while the read model of webhooks is incomplete. */
export interface WebhookLookup {
  /** An existing webhook of the caller's account and mode. */
  find: (owner: Owner, id: string) => Promise<Webhook | null>;
  /** The tenant of a webhook. A deleted webhook also has its tenant. */
  tenantOf: (owner: Owner, id: string) => Promise<Pick<Webhook, 'tenantId'> | null>;
  /** The position of a webhook in the caller's list. A deleted webhook also has a position. */
  positionOf: (owner: Owner, id: string) => Promise<ListPosition | null>;
  /** Whether the record with this id is among the last hundred changes of the webhook. */
  knowsRecord: (owner: Owner, id: string, recordId: string) => Promise<boolean>;
  /** The number of webhooks of an account and mode with this tenant. */
  count: (
    owner: Pick<Owner, 'accountId' | 'mode'>,
    tenant: Pick<Webhook, 'tenantId' | 'tenancy'>,
  ) => Promise<number>;
  /**
   * The webhooks that the caller sees, with the fields that health depends on, page by page.
   * @param tenantId null for the webhooks without a tenant, undefined for all webhooks
   */
  pages: (owner: Owner, tenantId: string | null | undefined) => AsyncIterable<readonly HealthyWebhook[]>;
}

/** The webhooks of one page. Their health takes MongoDB some 20 ms, and little memory of the process. */
const pageSize = 1000;

/** The fields of a webhook that its health depends on. */
export type HealthyWebhook = Pick<Webhook, 'id' | 'status' | 'version'>;

/** The lookup of webhooks. A command responds only when its change is readable, so a missing webhook does not exist. */
export function createWebhookLookup(
  webhooks: Pick<ReadModel<WebhookDocument>, 'findByIds' | 'findAll' | 'findPacked'>,
): WebhookLookup {
  const findDocument = async (owner: Owner, id: string): Promise<WebhookDocument | null> => {
    const [document] = isIdentifier('wh', id)
      ? completeDocuments(await webhooks.findByIds(owner.accountId, [id]))
      : [];
    return document !== undefined && isOwned(owner, document) ? document : null;
  };

  return {
    find: async (owner, id) => {
      const document = await findDocument(owner, id);
      return document === null ? null : storedWebhook(document);
    },
    tenantOf: findDocument,
    positionOf: async (owner, id) => {
      const document = await findDocument(owner, id);
      return document === null
        ? null
        : { id, created: storedWebhook(document)?.created ?? identifierTime(id) };
    },
    knowsRecord: async (owner, id, recordId) =>
      (await findDocument(owner, id))?.recordIds.includes(recordId) ?? false,
    count: async ({ accountId, mode }, { tenantId, tenancy }) => {
      const filter = { accountId, mode, tenantId, tenancy, status: { $in: ['active', 'disabled'] } };
      const answer = await webhooks.findAll(filter, { share: accountId, without: ['recordIds'] });
      return completeDocuments(answer).length;
    },
    pages: async function* (owner, tenantId) {
      const filter: OwnedFilter = {
        ...ownedFilter(owner, 'webhook'),
        status: { $in: ['active', 'disabled'] },
        ...(tenantId === undefined ? existing : { tenantId }),
      };
      let place: ListPosition | null = null;
      do {
        const found: readonly WebhookDocument[] = await webhooks.findPacked({
          ranges: rangesOf(filter, { direction: 'older', place }),
          limit: pageSize,
          index: tenantId === undefined ? webhookIndexes.list.key : webhookIndexes.byTenant.key,
          projection: { status: 1, version: 1, created: 1 },
          share: owner.accountId,
        });
        const page = found.map(storedWebhook).filter((webhook) => webhook !== null);
        yield page;
        place = found.length < pageSize ? null : (page.at(-1) ?? null);
      } while (place !== null);
    },
  };
}

/** The webhook of a document, or null for the remaining document of a deleted webhook. */
export function storedWebhook(document: WebhookDocument): Webhook | null {
  if (document.status === 'deleted') {
    return null;
  }
  const { _id: id, positions: _positions, recordIds: _recordIds, ...webhook } = document;
  return { id, ...webhook };
}

export const disabledWebhook = apiError(
  'webhook_disabled',
  'The webhook is disabled. Enable the webhook first.',
);
