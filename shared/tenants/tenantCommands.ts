import type { CommandRunner, Decision } from '../commands/commandRunner.js';
import { maximumApiKeysPerTenant } from '../domain/accounts/tenantApiKey.js';
import type { Actor, Mode, RecordContext } from '../domain/core/fact.js';
import type { RequestIdentity } from '../domain/core/requestIdentity.js';
import {
  canBegin,
  decideTenantUpdate,
  evolveTenant,
  tenantKey,
  type Tenant,
  type TenantFact,
  type TenantSettings,
  type TenantState,
} from '../domain/tenants/tenant.js';
import type { EventBoundary } from '../log/client/eventBoundary.js';
import { tenantRecords } from '../log/records/tenants.js';
import type { TopicName } from '../log/topics/names.js';
import type { TenantApiKeyDocument } from '../store/models/documents.js';
import { tenantIndexes } from '../store/models/indexes.js';
import type { ReadModel } from '../store/models/readModels.js';
import type { EndWebhooks } from './endWebhooks.js';

export interface TenantOwner {
  readonly accountId: string;
  readonly mode: Mode;
  readonly actor: Actor;
}

/** The fields of a PUT. A field that is left out stays unchanged, or is empty in a new tenant. */
export type TenantUpdate = {
  readonly [Field in keyof TenantSettings]?: TenantSettings[Field] | undefined;
};

export interface PutTenant {
  readonly tenant: Tenant;
  readonly isCreated: boolean;
}

/**
 * Commands on tenants. Commands on one tenant and its webhooks run one at a time. The changes of a command are readable
 * when the command returns.
 */
export interface TenantCommands {
  /** @returns null if the id has had its most lives */
  put: (
    owner: TenantOwner,
    tenantId: string,
    update: TenantUpdate,
    identity: RequestIdentity,
  ) => Promise<PutTenant | null>;
  /** @returns whether the tenant existed */
  remove: (owner: TenantOwner, tenantId: string, identity: RequestIdentity) => Promise<boolean>;
}

export interface TenantCommandDependencies {
  readonly runner: CommandRunner;
  /** @throws UnavailableError while the read model is incomplete */
  readonly find: (owner: Pick<TenantOwner, 'accountId' | 'mode'>, tenantId: string) => Promise<TenantState>;
  readonly apiKeys: Pick<ReadModel<TenantApiKeyDocument>, 'findPage'>;
  readonly eventBoundary: () => Promise<EventBoundary>;
  readonly endWebhooks: EndWebhooks;
}

export function createTenantCommands(dependencies: TenantCommandDependencies): TenantCommands {
  const { runner, find, apiKeys, eventBoundary, endWebhooks } = dependencies;

  const apiKeyIdsOf = async ({ accountId, lifeId }: Tenant): Promise<readonly string[]> => {
    const filter = { lifeId, keyStatus: 'active' };
    const index = tenantIndexes.apiKeysOfLife.key;
    const ranges = [{ filter, sort: { created: -1, _id: -1 } as const }];
    const found = await apiKeys.findPage({
      ranges,
      index,
      limit: maximumApiKeysPerTenant,
      projection: { _id: 1 },
      share: accountId,
    });
    return found.map(({ _id }) => _id);
  };

  const run = <Result>(
    { accountId, mode }: TenantOwner,
    tenantId: string,
    {
      topics,
      decide,
    }: { readonly topics: readonly TopicName[]; readonly decide: () => Promise<Decision<Result>> },
  ) =>
    runner.run({
      accountId,
      tenant: { mode, tenantId },
      topic: 'tenants',
      key: tenantKey(accountId, tenantId),
      alsoReads: topics.map((topic) => ({ topic })),
      decide,
    });

  const decideToPut = async (
    change: TenantChange,
    update: TenantUpdate,
  ): Promise<Decision<PutTenant | null>> => {
    const { owner, tenantId } = change;
    const before = await find(owner, tenantId);
    if (before?.status === 'active') {
      const facts = decideTenantUpdate(before, update, owner.actor);
      const { records, after } = changed(before, facts, change);
      return { records, result: { tenant: after, isCreated: false } };
    }
    if (!canBegin(before)) {
      return { records: [], result: null };
    }
    if (before !== null) {
      // If an earlier deletion was interrupted, no webhook of the earlier life may get events of the new life.
      await endWebhooks(before, owner.actor);
    }
    const { offsets: eventsFrom, ids: eventsFromIds } = await eventBoundary();
    const { name = null, metadata = {} } = update;
    const value = { name, metadata, eventsFrom, eventsFromIds, actor: owner.actor };
    const { records, after } = changed(before, [{ type: 'postrider.tenant.created', value }], change);
    return { records, result: { tenant: after, isCreated: true } };
  };

  const decideToRemove = async (change: TenantChange): Promise<Decision<boolean>> => {
    const { owner, tenantId } = change;
    const before = await find(owner, tenantId);
    if (before?.status !== 'active') {
      return { records: [], result: false };
    }
    const apiKeyIds = await apiKeyIdsOf(before);
    const { offsets: eventsBelow, ids: eventsBelowIds } = await eventBoundary();
    const { lifeId } = before;
    const value = { lifeId, eventsBelow, eventsBelowIds, apiKeyIds, actor: owner.actor };
    return { records: recordsOf([{ type: 'postrider.tenant.deleted', value }], change), result: true };
  };

  return {
    put: async (owner, tenantId, update, identity) => {
      const present = await find(owner, tenantId);
      // A platform calls PUT whenever a customer signs in, so a PUT without a difference needs no lease.
      return present?.status === 'active' && decideTenantUpdate(present, update, owner.actor).length === 0
        ? { tenant: present, isCreated: false }
        : run(owner, tenantId, {
            // Another life must not begin before the webhooks of the earlier life are deleted.
            topics: ['webhooks'],
            decide: () => decideToPut({ owner, tenantId, identity }, update),
          });
    },

    remove: async (owner, tenantId, identity) => {
      const isRemoved = await run(owner, tenantId, {
        // A deletion must find every webhook of the tenant. No replay of the life may follow the deletion.
        topics: ['webhooks', 'replays'],
        decide: () => decideToRemove({ owner, tenantId, identity }),
      });
      const after = await find(owner, tenantId);
      if (after !== null) {
        await endWebhooks(after, owner.actor);
      }
      return isRemoved;
    },
  };
}

interface TenantChange {
  readonly owner: TenantOwner;
  readonly tenantId: string;
  readonly identity: RequestIdentity;
}

type FactInContext = TenantFact & { readonly context: RecordContext };

function inContext(facts: readonly TenantFact[], change: TenantChange): readonly FactInContext[] {
  const { owner, tenantId, identity } = change;
  const { accountId, mode } = owner;
  const key = tenantKey(accountId, tenantId);
  return facts.map((fact) => ({
    ...fact,
    context: { id: identity.recordId(fact.type), key, accountId, mode, at: identity.created, tenantId },
  }));
}

function recordsOf(facts: readonly TenantFact[], change: TenantChange) {
  return inContext(facts, change).map((fact) => tenantRecords.encode(fact, fact.context));
}

/** The records of these facts, and the tenant after the projection has applied the facts. */
function changed(before: TenantState, facts: readonly TenantFact[], change: TenantChange) {
  const after = inContext(facts, change).reduce<TenantState>(evolveTenant, before);
  if (after?.status !== 'active') {
    throw new Error('the fold of a change has removed the tenant');
  }
  return { records: recordsOf(facts, change), after };
}
