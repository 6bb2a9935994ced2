import type { CommandRunner } from '../../../shared/commands/commandRunner.js';
import type { Clock } from '../../../shared/core/clock.js';
import { capabilities } from '../../../shared/domain/accounts/permissions.js';
import { hashOfPortalToken, portalToken, portalUrl } from '../../../shared/domain/accounts/portalSettings.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { tenantKey, type TenantFact } from '../../../shared/domain/tenants/tenant.js';
import { tenantRecords } from '../../../shared/log/records/tenants.js';
import { tenantIdOf, type TenantDocument } from '../../../shared/store/models/documents.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import type { PortalSessions } from '../../../shared/store/redis/portalSessions.js';
import type { AuditTrail } from '../../auditTrail/auditTrail.js';
import { readAccount } from '../../authentication/callerAccount.js';
import { isApiError, missingResource, type ApiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { Caller } from '../../http/context.js';
import { jsonResponse } from '../../http/response.js';
import type { PortalSessionHandlers } from './routes.js';

/** A revocation: the life of the tenant, and its sessions that had not expired. */
interface Revoked {
  readonly lifeId: string;
  readonly ids: readonly string[];
}

export interface PortalSessionHandlerDependencies {
  readonly runner: CommandRunner;
  readonly accounts: Pick<ReadModels['accounts'], 'findByIds'>;
  readonly tenants: Pick<ReadModels['tenants'], 'findByIds'>;
  readonly portalSessions: Pick<PortalSessions, 'begin' | 'ofLife' | 'unlist'>;
  readonly auditTrail: Pick<AuditTrail, 'portalSessionCreated'>;
  readonly publicUrl: string;
  readonly clock: Clock;
}

export function createPortalSessionHandlers(
  dependencies: PortalSessionHandlerDependencies,
): PortalSessionHandlers {
  const { runner, accounts, tenants, portalSessions, auditTrail, publicUrl, clock } = dependencies;

  const findTenant = async ({ accountId, mode }: Caller, id: string): Promise<TenantDocument | ApiError> => {
    const documentId = tenantIdOf(accountId, mode, id);
    const [tenant] = completeDocuments(await tenants.findByIds(accountId, [documentId]));
    return tenant?.status === 'active' ? tenant : missingResource('tenant', id);
  };

  const revokeAll = (caller: Caller, id: string, identity: RequestIdentity) => {
    const { accountId, mode, actor } = caller;
    const key = tenantKey(accountId, id);
    return runner.run<Revoked | ApiError>({
      accountId,
      tenant: { mode, tenantId: id },
      topic: 'tenants',
      key,
      decide: async () => {
        const tenant = await findTenant(caller, id);
        if (isApiError(tenant)) {
          return { records: [], result: tenant };
        }
        const { lifeId } = tenant;
        const fact: TenantFact = { type: 'postrider.tenant.sessions-revoked', value: { lifeId, actor } };
        const context = { id: identity.recordId(), key, accountId, mode, at: identity.created, tenantId: id };
        const ids = await portalSessions.ofLife(lifeId, clock());
        return { records: [tenantRecords.encode(fact, context)], result: { lifeId, ids } };
      },
    });
  };

  return {
    create: async ({ caller, id, body, identity }) => {
      const { accountId, mode } = caller;
      const tenant = await findTenant(caller, id);
      if (isApiError(tenant)) {
        return tenant;
      }
      const { suspensions } = await readAccount(accounts, accountId);
      const token = portalToken(identity.secret());
      const expiresAt = new Date(identity.created.getTime() + body.expiresIn * 1000);
      await auditTrail.portalSessionCreated(caller, id);
      await portalSessions.begin(hashOfPortalToken(token), {
        accountId,
        mode,
        tenantId: id,
        suspensions,
        expiresAt,
        lifeId: tenant.lifeId,
        revocations: tenant.revocations,
        capabilities: body.capabilities,
        created: identity.created,
      });
      const url = portalUrl(publicUrl, accountId, token);
      return jsonResponse({ url, token, expiresAt: expiresAt.toISOString() });
    },

    revoke: async ({ caller, id, identity }) => {
      const revoked = await revokeAll(caller, id, identity);
      if (isApiError(revoked)) {
        return revoked;
      }
      const { lifeId, ids } = revoked;
      await portalSessions.unlist(lifeId, ids);
      return jsonResponse({ revoked: ids.length });
    },

    retrieve: async ({ caller }) => {
      const { accountId, mode, tenant, scopes, expiresAt } = caller;
      if (tenant === null) {
        throw new Error('the session of a caller without a tenant was requested');
      }
      const found = await findTenant(caller, tenant.tenantId);
      return jsonResponse({
        accountId,
        tenant: { id: tenant.tenantId, name: isApiError(found) ? null : found.name },
        mode,
        capabilities: capabilities.filter((capability) => scopes?.includes(capability)),
        expiresAt: expiresAt?.toISOString() ?? null,
      });
    },
  };
}
