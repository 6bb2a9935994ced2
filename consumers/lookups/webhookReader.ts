import { UnavailableError } from '../../shared/core/errors.js';
import type { Mode } from '../../shared/domain/core/fact.js';
import { everyTenant } from '../../shared/domain/tenants/tenantId.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { WebhookDocument } from '../../shared/store/models/documents.js';
import type { ModelAnswer, ReadModel } from '../../shared/store/models/readModels.js';
import { createFreshReads, type Freshness } from './freshReads.js';

/** The webhooks that may get the events of one tenant, or the events without a tenant, at one moment. */
export interface WebhookSnapshot {
  /** When the older of the reads began, by `performance.now()`. */
  readonly readAt: number;
  readonly webhooks: readonly Webhook[];
}

/** One webhook at one moment. The webhook is undefined if it does not exist or was deleted. */
export interface WebhookReading {
  /** When the read began, by `performance.now()`. */
  readonly readAt: number;
  readonly webhook: Webhook | undefined;
}

export interface WebhookReader {
  /**
   * Returns the webhooks of a tenant, or those without a tenant, and the webhooks for every tenant.
   * @param tenantId the tenant of an event; null for an event without a tenant
   * @throws UnavailableError while the model is incomplete: an event must not be matched with a part of its webhooks
   */
  readonly webhooksOf: (
    owner: WebhookOwner,
    tenantId: string | null,
    freshness: Freshness,
  ) => Promise<WebhookSnapshot>;
  /**
   * Returns one webhook from a fresh read of its group, or from a read by its id.
   * @throws UnavailableError while the model is incomplete: a missing webhook must not pass for a deleted one
   */
  readonly webhookOf: (webhook: WebhookReference, freshness: Freshness) => Promise<WebhookReading>;
}

export interface WebhookOwner {
  readonly accountId: string;
  readonly mode: Mode;
}

/** The ids of a webhook, of its owner, and of the tenant of a delivery. */
export interface WebhookReference extends WebhookOwner {
  readonly webhookId: string;
  /** The tenant of the event. */
  readonly tenantId?: string | null;
  /** The tenancy of the webhook. */
  readonly tenancy?: string | null;
}

/** The webhooks of an owner with one value of `tenantId`. A group has at most 100 webhooks. */
export interface WebhookGroup extends WebhookOwner {
  readonly tenantId: string | null;
}

/** The most groups in one read, so that a read has at most twice as many ranges of the index. */
const groupsPerRead = 64;
/** What a webhook counts in memory without its credentials, in bytes. A group without webhooks counts as one webhook. */
const webhookBytes = 4 * 1024;
/** The most bytes of webhooks in memory: 20,000 webhooks without credentials. */
const maximumBytes = 20_000 * webhookBytes;

/** @param now milliseconds of `performance.now()` */
export function createWebhookReader(
  model: Pick<ReadModel<WebhookDocument>, 'findAll' | 'findInAllAccounts'>,
  now: () => number,
): WebhookReader {
  const readGroups = async (some: readonly WebhookGroup[]) =>
    webhooksIn(await model.findAll(webhooksOfGroups(some), { without: ['recordIds'] }));
  const groups = createFreshReads<WebhookGroup, readonly Webhook[]>(
    async (all) => {
      const parts = Array.from({ length: Math.ceil(all.length / groupsPerRead) }, (_, part) =>
        all.slice(part * groupsPerRead, (part + 1) * groupsPerRead),
      );
      const byGroup = groupedBy((await Promise.all(parts.map(readGroups))).flat(), keyOf);
      return (group) => byGroup.get(group) ?? [];
    },
    now,
    { maximum: maximumBytes, sizeOf: bytesOf },
  );
  const single = createFreshReads<string, Webhook | undefined>(async (ids) => {
    const answer = await model.findInAllAccounts(ids, { without: ['recordIds'] });
    const byId = new Map(webhooksIn(answer).map((webhook) => [webhook.id, webhook]));
    return (id) => byId.get(id);
  }, now);

  const read = ({ accountId, mode }: WebhookOwner, tenantId: string | null, freshness: Freshness) => {
    const group = { accountId, mode, tenantId };
    return groups.read(keyOf(group), group, freshness);
  };

  return {
    webhooksOf: async (owner, tenantId, freshness) => {
      // Both groups are requested in the same turn of the event loop, so they cost one read.
      const [own, shared] = await Promise.all([
        read(owner, tenantId, freshness),
        read(owner, everyTenant, freshness),
      ]);
      return {
        readAt: Math.min(own.readAt, shared.readAt),
        webhooks: shared.value.length === 0 ? own.value : [...own.value, ...shared.value],
      };
    },
    webhookOf: async (reference, freshness) => {
      const { webhookId } = reference;
      const group = groups.known(keyOf(groupOf(reference)), freshness);
      if (group !== null) {
        const { readAt, value } = await group;
        return { readAt, webhook: value.find(({ id }) => id === webhookId) };
      }
      const { readAt, value } = await single.read(webhookId, webhookId, freshness);
      return { readAt, webhook: value };
    },
  };
}

/** Credentials count, because those of one webhook may have 55 KB. */
function bytesOf(webhooks: readonly Webhook[]): number {
  return webhooks
    .flatMap(({ credentials = [] }) => credentials)
    .reduce((sum, { value }) => sum + value.sealed.length, Math.max(1, webhooks.length) * webhookBytes);
}

/** The group of a webhook: its tenancy is that of every tenant, or of the tenant of its events, or null. */
function groupOf({ accountId, mode, tenantId = null, tenancy = null }: WebhookReference): WebhookGroup {
  const own = tenancy === null ? null : tenantId;
  return { accountId, mode, tenantId: tenancy === everyTenant ? everyTenant : own };
}

/** The key of a group. No tenant has the id `null`. */
function keyOf({ accountId, mode, tenantId }: WebhookGroup): string {
  return `${accountId}/${mode}/${tenantId ?? 'null'}`;
}

/**
 * The filter for the webhooks of some groups, which one index serves for any number of webhooks and tenants. The filter
 * skips deleted webhooks. Disabled webhooks remain, because retries must see them.
 */
function webhooksOfGroups(groups: readonly WebhookGroup[]): Readonly<Record<string, unknown>> {
  const byOwner = groupedBy(groups, ({ accountId, mode }) => `${accountId}/${mode}`);
  const status = { $in: ['active', 'disabled'] satisfies readonly Webhook['status'][] };
  const filters = [...byOwner.values()].flatMap((ofOwner) =>
    ofOwner.slice(0, 1).map(({ accountId, mode }) => ({
      accountId,
      mode,
      tenantId: { $in: ofOwner.map(({ tenantId }) => tenantId) },
      status,
    })),
  );
  return { $or: filters };
}

function groupedBy<Item>(
  items: readonly Item[],
  keyOfItem: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(item);
  }
  return groups;
}

function webhooksIn({ documents, meta }: ModelAnswer<WebhookDocument>): readonly Webhook[] {
  if (!meta.complete) {
    throw new UnavailableError('the read model "webhooks" is being built from the log');
  }
  return documents.flatMap(({ _id: id, positions, recordIds: _notRead, ...state }) =>
    state.status === 'deleted' ? [] : [{ id, ...state }],
  );
}
