import { randomBytes } from 'node:crypto';

import { createFairSemaphore } from '../../shared/concurrency/fairSemaphore.js';
import { createRandom } from '../../shared/core/random.js';
import type { Mode } from '../../shared/domain/core/fact.js';
import { createIdentifiers, isIdentifier } from '../../shared/domain/core/identifiers.js';
import { freshIdentity } from '../../shared/domain/core/requestIdentity.js';
import type { Tenant, TenantState } from '../../shared/domain/tenants/tenant.js';
import { isTenantId } from '../../shared/domain/tenants/tenantId.js';
import { createBoundaryIds } from '../../shared/log/client/boundaryIds.js';
import { createEventBoundary } from '../../shared/log/client/eventBoundary.js';
import type { Config } from '../../shared/settings/config.js';
import { tenantIdOf } from '../../shared/store/models/documents.js';
import { tenantIndexes, webhookIndexes } from '../../shared/store/models/indexes.js';
import { storedTenant } from '../../shared/store/queries/storedDocuments.js';
import { createEndWebhooks } from '../../shared/tenants/endWebhooks.js';
import { createTenantCommands } from '../../shared/tenants/tenantCommands.js';
import { missingAccount } from '../accounts/changeAccount.js';
import type { Stores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/output.js';

/** The account and the mode of a command on tenants. */
export interface TenantScope {
  readonly accountId: string;
  readonly mode: Mode;
}

export interface ListedTenant {
  readonly id: string;
  readonly name: string | null;
  readonly metadata: Tenant['metadata'];
  readonly created: string;
  readonly mode: Mode;
}

export interface TenantList {
  readonly data: readonly ListedTenant[];
  /** Whether the account has more tenants in the mode. */
  readonly hasMore: boolean;
}

export interface ShownTenant extends ListedTenant {
  readonly webhooks: { readonly active: number; readonly disabled: number };
  /** The `ce_id` of the record that has created the tenant. The records of the tenant's webhooks contain it. */
  readonly lifeId: string;
  /** The offset of the tenant's first possible event, by partition of the topic `events`. */
  readonly eventsFrom: readonly number[];
}

type ReadStores = Pick<Stores, 'models'>;

/**
 * Lists tenants, newest first.
 * @param limit the largest number of tenants in the list
 * @throws CommandFailure if the account does not exist
 */
export async function listTenants(
  { models }: ReadStores,
  scope: TenantScope,
  limit: number,
): Promise<TenantList> {
  await requireAccount({ models }, scope.accountId);
  const range = { filter: { ...ownerOf(scope), status: 'active' }, sort: { created: -1, _id: -1 } } as const;
  const found = await models.tenants.findPage({
    ranges: [range],
    limit: limit + 1,
    index: tenantIndexes.list.key,
  });
  const tenants = found.map(storedTenant).filter((tenant) => tenant.status === 'active');
  return { data: tenants.slice(0, limit).map(listed), hasMore: tenants.length > limit };
}

/** @throws CommandFailure if the account or the tenant does not exist */
export async function showTenant(
  { models }: ReadStores,
  scope: TenantScope,
  tenantId: string,
): Promise<ShownTenant> {
  const tenant = await existingTenant({ models }, scope, tenantId);
  if (tenant.status === 'deleted') {
    throw missingTenant(scope, tenantId);
  }
  const count = (status: 'active' | 'disabled') =>
    models.webhooks.count({
      filter: { ...ownerOf(scope), tenantId, status },
      index: webhookIndexes.byTenant.key,
    });
  const [active, disabled] = await Promise.all([count('active'), count('disabled')]);
  const { lifeId, eventsFrom } = tenant;
  return { ...listed(tenant), webhooks: { active, disabled }, lifeId, eventsFrom };
}

/**
 * Finds a tenant that exists, or has existed.
 * @throws CommandFailure if the account does not exist, or never had this tenant
 */
export async function existingTenant(
  { models }: ReadStores,
  scope: TenantScope,
  tenantId: string,
): Promise<NonNullable<TenantState>> {
  await requireAccount({ models }, scope.accountId);
  const tenant = await findTenant({ models }, scope, tenantId);
  if (tenant === null) {
    throw missingTenant(scope, tenantId);
  }
  return tenant;
}

/**
 * Deletes a tenant, and waits until its webhooks get no further deliveries. For a tenant that was deleted earlier, the
 * webhooks that remained after an interrupted deletion are deleted.
 */
export async function deleteTenant(
  stores: Stores,
  { topics }: Pick<Config, 'topics'>,
  scope: TenantScope,
  tenantId: string,
): Promise<void> {
  const { kafka, offsets, log, models, progress, operator } = stores;
  const semaphore = createFairSemaphore({ slots: 1, overload: 'the log is busy', retryAfterSeconds: 1 });
  const boundaryIds = createBoundaryIds({ kafka, prefix: topics.prefix, offsets, semaphore });
  const commands = createTenantCommands({
    runner: stores.commands,
    find: (owner, id) => findTenant({ models }, owner, id),
    apiKeys: models.tenantApiKeys,
    eventBoundary: createEventBoundary({ offsets, boundaryIds }),
    endWebhooks: createEndWebhooks({ log, webhooks: models.webhooks, progress: progress.webhooks }),
  });
  const identity = freshIdentity(new Date(), createIdentifiers(createRandom()), randomBytes);
  await commands.remove({ ...scope, actor: operator }, tenantId, identity);
}

async function findTenant(
  { models }: ReadStores,
  { accountId, mode }: TenantScope,
  tenantId: string,
): Promise<TenantState> {
  const ids = isTenantId(tenantId) ? [tenantIdOf(accountId, mode, tenantId)] : [];
  const { documents, meta } = await models.tenants.findByIds(accountId, ids);
  if (!meta.complete) {
    throw incompleteModel('tenants');
  }
  const [document] = documents;
  return document === undefined ? null : storedTenant(document);
}

async function requireAccount({ models }: ReadStores, accountId: string): Promise<void> {
  const ids = isIdentifier('acct', accountId) ? [accountId] : [];
  const { documents, meta } = await models.accounts.findByIds(accountId, ids);
  const [account] = documents;
  if (account === undefined || account.isDeleted === true) {
    throw meta.complete ? missingAccount(accountId) : incompleteModel('accounts');
  }
}

function incompleteModel(name: string): CommandFailure {
  return new CommandFailure(
    `The read model of ${name} is incomplete, because it is being built from the log. Try again in a moment.`,
  );
}

function missingTenant({ accountId, mode }: TenantScope, tenantId: string): CommandFailure {
  return new CommandFailure(
    `Tenant ${tenantId} does not exist in ${mode} mode of ${accountId}. ` +
      `\`postrider tenants list ${accountId} --mode ${mode}\` lists the tenants.`,
  );
}

function ownerOf({ accountId, mode }: TenantScope) {
  return { accountId, mode };
}

function listed({ tenantId: id, name, metadata, created, mode }: Tenant): ListedTenant {
  return { id, name, metadata, created: created.toISOString(), mode };
}
