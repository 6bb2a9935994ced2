import {
  endedTenantApiKey,
  evolveTenantApiKey,
  isTenantApiKeyFact,
  type TenantApiKeyFact,
  type TenantApiKeyState,
} from '../../shared/domain/accounts/tenantApiKey.js';
import type { Mode } from '../../shared/domain/core/fact.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import {
  evolveTenant,
  lifeMarksOf,
  tenantIdOfKey,
  type DeletedTenant,
  type Tenant,
  type TenantFact,
} from '../../shared/domain/tenants/tenant.js';
import { isTenantId } from '../../shared/domain/tenants/tenantId.js';
import { tenantRecords } from '../../shared/log/records/tenants.js';
import {
  tenantIdOf,
  type TenantApiKeyDocument,
  type TenantDocument,
} from '../../shared/store/models/documents.js';
import { fencesOf } from '../../shared/store/models/fences.js';
import { storedTenant, storedTenantApiKey } from '../../shared/store/queries/storedDocuments.js';
import { deduplicate } from './deduplicate.js';
import { inMode, readWith, type DocumentFold, type InContext, type Projection } from './projection.js';

type AnyDocument = TenantDocument | TenantApiKeyDocument;

/**
 * A document for each tenant, and for each API key of a tenant. The document of a deleted tenant keeps its lives, which
 * bound the data of the tenant. A deleted API key keeps only its ids.
 */
export const tenantsProjection: Projection<AnyDocument> = {
  name: 'tenants',
  accountDocumentsFilter: (id) => ({
    $or: [
      // In ASCII, `0` follows `/`.
      { _id: { $gte: `${id}/`, $lt: `${id}0` } },
      { accountId: id, keyStatus: { $exists: true } },
      fencesOf(id),
    ],
  }),
  read: readWith(decodeFact, (fact) =>
    isTenantApiKeyFact(fact)
      ? [foldOfKey(fact.value.keyId, fact, (before) => evolveTenantApiKey(before, fact))]
      : [foldOfTenant(fact, fact.context.mode), ...foldsOfEndedKeys(fact)],
  ),
};

const decodeInMode = inMode(tenantRecords.decode);

function decodeFact(record: RawRecord) {
  const decoded = decodeInMode(record);
  return decoded.readable && !isTenantId(tenantIdOfKey(decoded.content.context.key))
    ? ({ readable: false, reason: 'the key does not end with a tenant id' } as const)
    : decoded;
}

function foldOfTenant(fact: TenantFact & InContext, mode: Mode): DocumentFold<AnyDocument> {
  const { id: recordId, accountId, key } = fact.context;
  return {
    id: tenantIdOf(accountId, mode, tenantIdOfKey(key)),
    apply: (document) =>
      deduplicate(document, recordId, (before) => {
        if (before !== null && isApiKey(before)) {
          return before;
        }
        const earlier = before === null ? null : storedTenant(before);
        const state = evolveTenant(earlier, fact);
        return state === null || state === earlier ? before : documentOf(state, before);
      }),
  };
}

/** The deletion of a tenant ends its API keys. */
function foldsOfEndedKeys(fact: TenantFact & InContext): readonly DocumentFold<AnyDocument>[] {
  if (fact.type !== 'postrider.tenant.deleted') {
    return [];
  }
  const { lifeId, apiKeyIds } = fact.value;
  return [...new Set(apiKeyIds)].map((id) =>
    foldOfKey(id, fact, (before) => endedTenantApiKey(before, lifeId)),
  );
}

function foldOfKey(
  id: string,
  { context }: (TenantFact | TenantApiKeyFact) & InContext,
  evolve: (before: TenantApiKeyState) => TenantApiKeyState,
): DocumentFold<AnyDocument> {
  return {
    id,
    apply: (document) =>
      deduplicate(document, context.id, (before) => {
        if (before !== null && !isApiKey(before)) {
          return before;
        }
        const earlier = before === null ? null : storedTenantApiKey(before);
        const state = evolve(earlier);
        return state === null || state === earlier ? before : apiKeyDocumentOf(state, before);
      }),
  };
}

function isApiKey(document: AnyDocument): document is TenantApiKeyDocument {
  return 'keyStatus' in document;
}

function apiKeyDocumentOf(
  { id: _id, ...state }: NonNullable<TenantApiKeyState>,
  before: TenantApiKeyDocument | null,
): TenantApiKeyDocument {
  return { ...state, _id, positions: before?.positions ?? {}, recordIds: before?.recordIds ?? [] };
}

function documentOf(state: Tenant | DeletedTenant, before: TenantDocument | null): TenantDocument {
  const stored = {
    _id: tenantIdOf(state.accountId, state.mode, state.tenantId),
    positions: before?.positions ?? {},
    recordIds: before?.recordIds ?? [],
    ...lifeMarksOf(state.ended),
  };
  return state.status === 'active'
    ? { ...state, metadata: Object.entries(state.metadata), ...stored }
    : { ...state, name: null, metadata: [], ...stored };
}
