import type { CommandRunner, Decision } from '../../../shared/commands/commandRunner.js';
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
import { replayRecords } from '../../../shared/log/records/replays.js';
import type { ReplayDocument } from '../../../shared/store/models/documents.js';
import { replayIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { AuditTrail, CallerAction } from '../../auditTrail/auditTrail.js';
import { apiError, missingResource, type ApiError } from '../../http/apiError.js';
import type { Caller } from '../../http/context.js';
import { disabledWebhook, type WebhookLookup } from '../webhooks/webhookLookup.js';
import type { ReplayLookup } from './replayLookup.js';

export interface ReplayRequest extends Pick<ReplayRequested, 'webhookId' | 'filter' | 'eventsBelow'> {
  readonly caller: Caller;
  readonly identity: RequestIdentity;
}

/**
 * Commands on replays. Commands of one account run one at a time. The changes of a command are readable when the
 * command returns.
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
  readonly replays: Pick<ReadModel<ReplayDocument>, 'count'>;
}

const topic = 'replays';

export function createReplayCommands(dependencies: ReplayCommandDependencies): ReplayCommands {
  const { runner, auditTrail, lookup, webhooks, replays } = dependencies;

  const run = async (
    { accountId }: Caller,
    key: string | null,
    decide: () => Promise<Decision<Replay | ApiError>>,
  ) => runner.run({ accountId, topic, ...(key !== null && { key }), decide });

  const countRunning = ({ accountId, mode }: Caller) =>
    replays.count({
      filter: { accountId, mode, status: 'running' },
      index: replayIndexes.byStatus.key,
      owner: accountId,
    });

  const decideToCreate = async ({ caller, identity, webhookId, ...request }: ReplayRequest) => {
    const id = identity.id('rpl');
    const existing = identity.isRepeat ? await lookup.find(caller, id) : null;
    if (existing !== null) {
      return { records: [], result: existing };
    }
    const webhook = await webhooks.find(caller, webhookId);
    if (webhook === null) {
      return rejected(missingResource('webhook', webhookId));
    }
    if ((await countRunning(caller)) >= maximumRunningReplays) {
      return rejected(tooMany);
    }
    const fact = decideReplay({ ...request, webhook, actor: caller.actor });
    if (fact === null) {
      return rejected(disabledWebhook);
    }
    await auditTrail.record(caller, requestOf(id, fact.value), identity);
    return decided(null, fact, { caller, id, identity });
  };

  return {
    // The limit counts all replays of the account, so the command waits until the read model has reached all
    // partitions.
    create: (request) => run(request.caller, null, () => decideToCreate(request)),

    cancel: async (caller, id, identity) => {
      // The lookup precedes the lease, so that an unknown replay does not delay other commands of the account.
      if ((await lookup.find(caller, id)) === null) {
        return missingResource('replay', id);
      }
      const canceled = await run(caller, id, async () => {
        const replay = await lookup.find(caller, id);
        if (replay === null) {
          return rejected(missingResource('replay', id));
        }
        const fact = decideReplayCancelation(replay, 'requested', caller.actor);
        if (fact === null) {
          return { records: [], result: replay };
        }
        await auditTrail.record(caller, cancelationOf(id, replay), identity);
        return decided(replay, fact, { caller, id, identity });
      });
      // The replay may have finished before the record of the cancellation was appended.
      return (await lookup.find(caller, id)) ?? canceled;
    },
  };
}

function requestOf(id: string, { webhookId, filter }: ReplayRequested): CallerAction {
  const { since, until, types, only } = filter;
  const times = { since: since.toISOString(), until: until.toISOString() };
  return {
    action: 'replay.requested',
    resource: { type: 'replay', id },
    changes: newFields({ webhookId, ...times, types, only }),
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
}

/** The record of a fact, and the state of the replay after the fact. */
function decided(
  replay: Replay | null,
  fact: ReplayFact,
  { caller, id: key, identity }: Author,
): Decision<Replay | ApiError> {
  const { accountId, mode } = caller;
  const context: RecordContext = { id: identity.recordId(), key, accountId, mode, at: identity.created };
  const after = evolveReplay(replay, { ...fact, context });
  return { records: [replayRecords.encode(fact, context)], result: after ?? missingResource('replay', key) };
}

function rejected(result: ApiError): Decision<Replay | ApiError> {
  return { records: [], result };
}

const tooMany = apiError(
  'parameter_invalid',
  `An account can have at most ${String(maximumRunningReplays)} running replays. Wait ` +
    `until a replay has ended, or cancel a replay.`,
);
