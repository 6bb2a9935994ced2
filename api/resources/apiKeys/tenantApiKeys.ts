import type { TenantApiKey } from '../../../shared/domain/accounts/tenantApiKey.js';
import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import { tenantIdOf, type TenantApiKeyDocument } from '../../../shared/store/models/documents.js';
import { tenantIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { storedTenantApiKey } from '../../../shared/store/queries/storedDocuments.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import { accountFilter } from '../../http/ownership.js';
import { pageOf, pageQuery, type ListPosition, type Page, type PageRange } from '../../http/paging.js';

type Administrator = Pick<Caller, 'accountId' | 'mode'>;

/**
 * Reads of the API keys of tenants that a caller manages. A full live key manages those of both modes, and a full test
 * key those of test mode. A read throws UnavailableError while the read model of tenants is incomplete.
 */
export interface TenantApiKeys {
  find: (administrator: Administrator, id: string) => Promise<TenantApiKey | null>;
  /** The position of a key in the caller's list. A deleted key also has a position. */
  positionOf: (administrator: Administrator, id: string) => Promise<ListPosition | null>;
  /** @param tenantId the tenant of the listed keys; undefined for the keys of all tenants */
  page: (
    administrator: Administrator,
    tenantId: string | undefined,
    range: PageRange,
  ) => Promise<Page<TenantApiKey>>;
  /** The number of keys of a life of a tenant. */
  count: (accountId: string, lifeId: string) => Promise<number>;
  /** Whether a key exists, or existed. */
  isKnown: (administrator: Administrator, id: string) => Promise<boolean>;
}

export function createTenantApiKeys({
  tenants,
  tenantApiKeys,
}: Pick<ReadModels, 'tenants' | 'tenantApiKeys'>): TenantApiKeys {
  const findDocument = async (
    administrator: Administrator,
    id: string,
  ): Promise<TenantApiKeyDocument | null> => {
    const ids = isIdentifier('key', id) ? [id] : [];
    const { accountId, mode } = administrator;
    const [document] = completeDocuments(await tenantApiKeys.findByIds(accountId, ids));
    return document !== undefined && (mode === 'live' || document.mode === 'test') ? document : null;
  };

  /** The lives of a tenant id in the modes that the caller manages. */
  const livesOf = async (
    { accountId, mode }: Administrator,
    tenantId: string,
  ): Promise<readonly string[]> => {
    const ids = modesOf(mode).map((each) => tenantIdOf(accountId, each, tenantId));
    const found = completeDocuments(await tenants.findByIds(accountId, ids));
    return found.filter(({ status }) => status === 'active').map(({ lifeId }) => lifeId);
  };

  return {
    find: async (administrator, id) => {
      const document = await findDocument(administrator, id);
      return document === null ? null : activeKeyIn(document);
    },

    positionOf: async (administrator, id) => {
      const document = await findDocument(administrator, id);
      return document === null ? null : { id, created: document.created };
    },

    page: async (administrator, tenantId, range) => {
      const { accountId, mode } = administrator;
      const active = { ...accountFilter({ accountId }), keyStatus: 'active' };
      const selection =
        tenantId === undefined
          ? { filter: { ...active, mode: { $in: modesOf(mode) } }, index: tenantIndexes.apiKeys.key }
          : {
              filter: { ...active, lifeId: { $in: await livesOf(administrator, tenantId) } },
              index: tenantIndexes.apiKeysOfLife.key,
            };
      const { items, hasMore } = pageOf(await tenantApiKeys.findListPage(pageQuery(selection, range)), range);
      return { items: items.flatMap((document) => activeKeyIn(document) ?? []), hasMore };
    },

    count: (accountId, lifeId) =>
      tenantApiKeys.count({
        filter: { lifeId, keyStatus: 'active' },
        index: tenantIndexes.apiKeysOfLife.key,
        share: accountId,
      }),

    isKnown: async (administrator, id) => (await findDocument(administrator, id)) !== null,
  };
}

function modesOf(mode: Caller['mode']): readonly Caller['mode'][] {
  return mode === 'live' ? ['live', 'test'] : ['test'];
}

function activeKeyIn(document: TenantApiKeyDocument): TenantApiKey | null {
  const apiKey = storedTenantApiKey(document);
  return apiKey.keyStatus === 'active' ? apiKey : null;
}
