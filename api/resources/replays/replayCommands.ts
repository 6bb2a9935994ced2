import type { CommandRunner, Decision } from '../../../shared/commands/commandRunner.js';
import { scopeInLife, type TenantResource } from '../../../shared/commands/tenantScope.js';
import type { RecordContext } from '../../../shared/domain/core/fact.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { newFields } from '../../../shared/domain/core/recordedAction.js';
import {
  evolveReplay,
  type Replay,
  type ReplayFact,
  type ReplayRequested,
} from '../../../shared/domain/replays/replay.js';
import {
  decideReplay,
  decideReplayCancelation,
  maximumRunningReplays,
} from '../../../shared/domain/replays/replayDecisions.js';
import { tenantFieldsOf, type DeliveryTenant } from '../../../shared/domain/tenants/deliveryTenant.js';
import type { Webhook } from '../../../shared/domain/webhooks/webhook.js';
import { replayRecords } from '../../../shared/log/records/replays.js';
import type { ReplayDocument } from '../../../shared/store/models/documents.js';
import { replayIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { AuditTrail, CallerAction } from '../../auditTrail/auditTrail.js';
import { apiError, missingResource, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import { disabledWebhook, type WebhookLookup } from '../webhooks/webhookLookup.js';
import type { WebhookTenants } from '../webhooks/webhookTenants.js';
import type { ReplayLookup } from './replayLookup.js';

export interface ReplayRequest extends Pick<
  ReplayRequested,
  'webhookId' | 'filter' | 'eventsBelow' | 'eventsBelowIds' | 'tenantFrom'
> {
  readonly caller: Caller;
  readonly identity: RequestIdentity;
}

/**
 * Commands on replays. Commands on the replays of one tenant, or of an account without its tenants, run one at a time.
 * The changes of a command are readable when the command returns.
 */
export interface ReplayCommands {
  /** Creates a replay. A repeated request creates no second replay. */
  create: (request: ReplayRequest) => Promise<Replay | ApiError>;
  /** Cancels a replay. The command has no effect on a finished replay. */
  cancel: (caller: Caller, id: string, identity: RequestIdentity) => Promise<Replay | ApiError>;
}

export interface ReplayCommandDependencies {
  readonly runner: CommandRunner;
  readonly auditTrail: Pick<AuditTrail, 'record'>;
  readonly lookup: ReplayLookup;
  readonly webhooks: Pick<WebhookLookup, 'find'>;
  readonly tenants: Pick<WebhookTenants, 'ofWebhook'>;
  readonly replays: Pick<ReadModel<ReplayDocument>, 'count'>;
}

const topic = 'replays';

export function createReplayCommands(dependencies: ReplayCommandDependencies): ReplayCommands {
  const { runner, auditTrail, lookup, webhooks, tenants, replays } = dependencies;

  const run = async (
    resource: TenantResource,
    key: string | null,
    decide: () => Promise<Decision<Replay | ApiError>>,
  ) => runner.run({ ...scopeInLife(resource), topic, ...(key !== null && { key }), decide });

  /** A webhook of the caller, unless the life of its tenant has ended. */
  const findWebhook = async (caller: Caller, webhookId: string) => {
    const webhook = await webhooks.find(caller, webhookId);
    return webhook === null || (await tenants.ofWebhook(webhook)) === null ? null : webhook;
  };

  const countRunning = ({ accountId, mode, tenancy }: Webhook) =>
    replays.count({
      filter: { accountId, mode, tenancy, status: 'running' },
      index: replayIndexes.byStatus.key,
      share: accountId,
    });

  const decideToCreate = async ({ caller, identity, webhookId, ...request }: ReplayRequest) => {
    const id = identity.id('rpl');
    const existing = identity.isRepeat ? await lookup.find(caller, id) : null;
    if (existing !== null) {
      return { records: [], result: existing };
    }
    const webhook = await findWebhook(caller, webhookId);
    if (webhook === null) {
      return rejected(missingResource('webhook', webhookId));
    }
    const maximum = maximumRunningReplays(webhook);
    if ((await countRunning(webhook)) >= maximum) {
      return rejected(tooMany(maximum));
    }
    const fact = decideReplay({ ...request, webhook, actor: caller.actor });
    if (fact === null) {
      return rejected(disabledWebhook);
    }
    await auditTrail.record(caller, requestOf(id, fact.value), identity);
    return decided(null, fact, { caller, id, identity, tenant: tenantFieldsOf(webhook) });
  };

  return {
    create: async (request) => {
      const { caller, webhookId } = request;
      // The look-up precedes the lease, because the scope of the command is the tenant of the webhook.
      const webhook = await webhooks.find(caller, webhookId);
      return webhook === null
        ? missingResource('webhook', webhookId)
        : // The limit counts all replays of the tenant or account, so the command waits until the read model has reached
          // all partitions.
          run(webhook, null, () => decideToCreate(request));
    },

    cancel: async (caller, id, identity) => {
      // The look-up precedes the lease, because the scope of the command is the tenant of the replay's webhook.
      const found = await lookup.find(caller, id);
      if (found === null) {
        return missingResource('replay', id);
      }
      const canceled = await run(found, id, async () => {
        const replay = await lookup.find(caller, id);
        if (replay === null) {
          return rejected(missingResource('replay', id));
        }
        const fact = decideReplayCancelation(replay, 'requested', caller.actor);
        if (fact === null) {
          return { records: [], result: replay };
        }
        await auditTrail.record(caller, cancelationOf(id, replay), identity);
        return decided(replay, fact, { caller, id, identity, tenant: tenantFieldsOf(replay) });
      });
      // The replay may have finished before the record of the cancellation was appended.
      return (await lookup.find(caller, id)) ?? canceled;
    },
  };
}

function requestOf(id: string, { webhookId, filter }: ReplayRequested): CallerAction {
  const { since, until, types, only, statusCodes, errorCodes, eventIds } = filter;
  const span =
    eventIds === undefined
      ? { since: since.toISOString(), until: until.toISOString() }
      : { eventIds: eventIds.length };
  return {
    action: 'replay.requested',
    resource: { type: 'replay', id },
    changes: newFields({
      webhookId,
      ...span,
      types,
      only,
      ...(statusCodes !== undefined && { statusCodes: statusCodes.map(String) }),
      ...(errorCodes !== undefined && { errorCodes }),
    }),
  };
}

function cancelationOf(id: string, { status }: Replay): CallerAction {
  return {
    action: 'replay.canceled',
    resource: { type: 'replay', id },
    changes: { status: { from: status, to: 'canceled' } },
  };
}

interface Author {
  readonly caller: Caller;
  /** The id of the replay. */
  readonly id: string;
  readonly identity: RequestIdentity;
  /** The tenant of the webhook. */
  readonly tenant: DeliveryTenant;
}

/** The record of a fact, and the state of the replay after the fact. */
function decided(
  replay: Replay | null,
  fact: ReplayFact,
  { caller, id: key, identity, tenant }: Author,
): Decision<Replay | ApiError> {
  const { accountId, mode } = caller;
  const context: RecordContext = {
    id: identity.recordId(),
    key,
    accountId,
    mode,
    at: identity.created,
    ...tenant,
  };
  const after = evolveReplay(replay, { ...fact, context });
  return { records: [replayRecords.encode(fact, context)], result: after ?? missingResource('replay', key) };
}

function rejected(result: ApiError): Decision<Replay | ApiError> {
  return { records: [], result };
}

function tooMany(maximum: number): ApiError {
  return apiError(
    'parameter_invalid',
    `At most ${String(maximum)} replays can run for the webhooks of a tenant, or for those without one. Wait ` +
      'until a replay has ended, or cancel a replay.',
  );
}
