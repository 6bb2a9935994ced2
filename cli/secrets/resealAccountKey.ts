import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { createRandom } from '../../shared/core/random.js';
import type { SecretBox } from '../../shared/security/secretBox.js';
import { encodeAccountKey } from '../../shared/log/records/accountKeys.js';
import { accountKeysTopic } from '../../shared/log/topics/names.js';
import type { Resealed } from './resealWebhook.js';
import type { Stores } from '../environment/stores.js';

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
