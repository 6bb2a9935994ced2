import type { Clock } from '../../shared/clock.js';
import type { CommandRunner, Decision } from '../../shared/commandRunner.js';
import type { RecordContext } from '../../shared/domain/fact.js';
import { isIdentifier, type Identifiers } from '../../shared/domain/identifiers.js';
import { maximumWebhooksPerMode, type WebhookSettings } from '../../shared/domain/webhook.js';
import { inTime } from '../../shared/inTime.js';
import type { TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import type { SecretBox } from '../../shared/secretBox.js';
import { webhookRecords } from '../../shared/topics/webhooks.js';
import type { Caller } from '../apiKeys.js';
import { missingResource, refusal, type Refusal } from '../refusal.js';
import type { ShownWebhook } from './representation.js';
import type { WebhookLookup } from './webhookLookup.js';

export interface CreatedWebhook {
  readonly webhook: ShownWebhook;
  /** `whsec_` and base64: shown once, kept sealed. */
  readonly secret: string;
}

/** Changes of webhooks. Each runs alone in its account, and can be read by everyone when it returns. */
export interface WebhookCommands {
  create: (caller: Caller, settings: WebhookSettings) => Promise<CreatedWebhook | Refusal>;
  remove: (caller: Caller, id: string) => Promise<{ readonly id: string } | Refusal>;
}

export interface WebhookCommandDependencies {
  readonly runner: CommandRunner;
  readonly lookup: WebhookLookup;
  readonly offsets: TopicOffsets;
  readonly secretBox: SecretBox;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  /** Bytes that nobody can guess. */
  readonly randomBytes: (count: number) => Buffer;
}

const topic = 'webhooks';
const offsetsTimeoutMs = 5000;
const secretBytes = 32;
/** As Standard Webhooks 1.0.0 writes secrets. */
const secretPrefix = 'whsec_';

export function createWebhookCommands(dependencies: WebhookCommandDependencies): WebhookCommands {
  const { runner, lookup, offsets, secretBox, identifiers, clock, randomBytes } = dependencies;

  const contextOf = ({ accountId, mode }: Caller, key: string, at: Date): RecordContext => ({
    id: identifiers.createRecordId(at),
    key,
    accountId,
    mode,
    at,
  });

  const decideToCreate = async (caller: Caller, settings: WebhookSettings) => {
    if ((await lookup.count(caller)) >= maximumWebhooksPerMode) {
      return { records: [], result: tooMany };
    }
    // Before the append, so that no event comes between: the webhook gets all from these offsets on.
    const eventsFrom = await inTime(offsets.ends('events'), offsetsTimeoutMs, 'the log does not answer');
    const created = clock();
    const id = identifiers.create('wh', created);
    const secret = randomBytes(secretBytes);
    const value = { ...settings, secret: secretBox.seal(secret, id), eventsFrom, actor: caller.actor };
    const record = webhookRecords.encode(
      { type: 'postrider.webhook.created', value },
      contextOf(caller, id, created),
    );
    const webhook: ShownWebhook = {
      ...settings,
      id,
      mode: caller.mode,
      status: 'active',
      disabledReason: null,
      created,
    };
    return { records: [record], result: { webhook, secret: `${secretPrefix}${secret.toString('base64')}` } };
  };

  const decideToRemove = async (caller: Caller, id: string) => {
    if ((await lookup.find(caller, id)) === null) {
      return { records: [], result: missingResource('webhook', id) };
    }
    const record = webhookRecords.encode(
      { type: 'postrider.webhook.deleted', value: { actor: caller.actor } },
      contextOf(caller, id, clock()),
    );
    return { records: [record], result: { id } };
  };

  const run = <Result>({ accountId }: Caller, decide: () => Promise<Decision<Result | Refusal>>) =>
    runner.run({ accountId, topic, decide });

  return {
    create: (caller, settings) => run<CreatedWebhook>(caller, () => decideToCreate(caller, settings)),
    remove: async (caller, id) =>
      isIdentifier('wh', id)
        ? run<{ id: string }>(caller, () => decideToRemove(caller, id))
        : missingResource('webhook', id),
  };
}

const tooMany = refusal(
  'webhook_limit_reached',
  `An account has at most ${String(maximumWebhooksPerMode)} webhooks in each mode: delete one first.`,
);
