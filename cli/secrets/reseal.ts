import { scopeOf, type TenantResource } from '../../shared/commands/tenantScope.js';
import { createRandom } from '../../shared/core/random.js';
import type { Change } from '../../shared/domain/core/fact.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { tenantFieldsOf } from '../../shared/domain/tenants/deliveryTenant.js';
import { sealedOf, type Sealed } from '../../shared/domain/webhooks/credentials.js';
import type { SealedSecret } from '../../shared/domain/webhooks/signingSecrets.js';
import { encodeAccountKey } from '../../shared/log/records/accountKeys.js';
import { webhookRecords } from '../../shared/log/records/webhooks.js';
import { accountKeysTopic } from '../../shared/log/topics/names.js';
import type { SecretBox } from '../../shared/security/secretBox.js';
import type { WebhookDocument } from '../../shared/store/models/documents.js';
import type { Stores } from '../environment/stores.js';

export interface OwnedWebhook extends TenantResource {
  readonly id: string;
}

/** The result for the secrets of one webhook, or for the data key of an account. */
export interface Resealed {
  /** The id of the webhook or account. */
  readonly id: string;
  /** The number of secrets that the command has encrypted with the first key. */
  readonly count: number;
  /** The ids of keys that the webhook's other secrets need. These keys are unknown, or cannot decrypt the secrets. */
  readonly missingKeys: readonly string[];
}

/**
 * Encrypts the secrets of a webhook that still sign, and its credentials, with the first encryption key. The command holds the lease of the
 * tenant or account, so it reads the current secrets. A secret that cannot be decrypted stays unchanged.
 */
export function createResealWebhook(
  { models, commands, operator }: Pick<Stores, 'models' | 'commands' | 'operator'>,
  box: SecretBox,
  firstKey: string,
): (webhook: OwnedWebhook) => Promise<Resealed> {
  const identifiers = createIdentifiers(createRandom());

  const sealAgain = ({ value: from, owner }: Sealed): Change<SealedSecret> | null => {
    const secret = box.open(from, owner);
    return secret === null ? null : { from, to: box.seal(secret, owner) };
  };

  const recordsOf = (webhook: WebhookDocument, secrets: readonly Change<SealedSecret>[], at: Date) => {
    const { _id: key, accountId, mode } = webhook;
    const type = 'postrider.webhook.secret-reencrypted';
    const tenant = tenantFieldsOf(webhook);
    const context = { id: identifiers.createRecordId(at), key, accountId, mode, at, ...tenant };
    return secrets.length === 0
      ? []
      : [webhookRecords.encode({ type, value: { secrets, actor: operator } }, context)];
  };

  return ({ id, ...owner }) =>
    commands.run({
      ...scopeOf(owner),
      topic: 'webhooks',
      key: id,
      decide: async () => {
        const at = new Date();
        const [webhook] = (await models.webhooks.findByIds(owner.accountId, [id])).documents;
        if (webhook === undefined || webhook.status === 'deleted') {
          return { records: [], result: { id, count: 0, missingKeys: [] } };
        }
        const toDo = sealedOf({ ...webhook, id }, at).filter(({ value }) => value.key !== firstKey);
        const changes = toDo.map(sealAgain);
        const secrets = changes.filter((change) => change !== null);
        const missing = toDo.filter((_secret, index) => changes[index] === null);
        return {
          records: recordsOf(webhook, secrets, at),
          result: {
            id,
            count: secrets.length,
            missingKeys: missing.map(({ value }) => value.key),
          },
        };
      },
    });
}

/**
 * Encrypts the data key of an account (the same 32 bytes) with the first encryption key. A data key that cannot be
 * decrypted stays unchanged.
 */
export function createResealAccountKey(
  { models, commands }: Pick<Stores, 'models' | 'commands'>,
  box: SecretBox,
  firstKey: string,
): (accountId: string) => Promise<Resealed> {
  const identifiers = createIdentifiers(createRandom());
  return (accountId) =>
    commands.run<Resealed>({
      accountId,
      topic: accountKeysTopic,
      key: accountId,
      decide: async () => {
        const sealed = (await models.accountKeys.findByIds(accountId, [accountId])).documents[0]?.key ?? null;
        if (sealed === null || sealed.key === firstKey) {
          return { records: [], result: { id: accountId, count: 0, missingKeys: [] } };
        }
        const key = box.open(sealed, accountId);
        if (key === null) {
          return { records: [], result: { id: accountId, count: 0, missingKeys: [sealed.key] } };
        }
        const at = new Date();
        const context = { id: identifiers.createRecordId(at), accountId, at };
        return {
          records: [encodeAccountKey(box.seal(key, accountId), context)],
          result: { id: accountId, count: 1, missingKeys: [] },
        };
      },
    });
}
