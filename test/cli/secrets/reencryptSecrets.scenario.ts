import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { reencryptSecrets, type Reencrypted } from '../../../cli/secrets/reencryptSecrets.js';
import type { AppendingCommandRunner } from '../../../shared/commands/commandRunner.js';
import { sealedOf } from '../../../shared/domain/webhooks/credentials.js';
import { loadConfig } from '../../../shared/settings/config.js';
import { openAccount, type TestAccount } from '../../api/support/accounts.js';
import { startAnotherApi } from '../../api/support/anotherApi.js';
import { createClient } from '../../api/support/client.js';
import { postEvent } from '../../api/support/events.js';
import { openLogReader, type LogReader } from '../../api/support/records.js';
import { createWebhook } from '../../api/support/webhooks.js';
import { encryptionKeys } from '../../support/encryptionKeys.js';
import { eventually } from '../../support/eventually.js';
import { runCommand, runProgram } from '../../support/program.js';
import { startReceiver, type Receiver, type ReceivedRequest } from '../../support/receiver.js';
import { startRoleProcess } from '../../support/roleProcess.js';
import { startService, type TestService } from '../../support/service.js';

const headerValue = 'k-5f2b8c';
const keySetting = 'POSTRIDER_ENCRYPTION_KEYS';

/** One sequence: secrets are encrypted with a first key, which is then replaced by a second one and removed. */
describe('postrider secrets reencrypt', () => {
  let service: TestService;
  let account: TestAccount;
  let receiver: Receiver;
  let log: LogReader;
  /** The valid secrets of each webhook, the newest first. */
  const secrets = new Map<string, readonly string[]>();
  let rotated: string;
  let disabled: string;
  let expired: string;
  let deleted: string;

  before(async () => {
    service = await startService({ [keySetting]: encryptionKeys('first') });
    account = await openAccount(service);
    receiver = await startReceiver();
    log = await openLogReader(service, ['webhooks']);
    rotated = await create('rotated', 3600);
    await account.live.patchJson(`/v1/webhooks/${rotated}`, { headers: { 'x-api-key': headerValue } });
    disabled = await create('disabled');
    await account.live.patchJson(`/v1/webhooks/${disabled}`, { status: 'disabled' });
    expired = await create('expired', 1);
    deleted = await create('deleted');
    await account.live.delete(`/v1/webhooks/${deleted}`);
  });

  /** Creates a webhook. With `expiresIn` its secret is rotated, and the first secret expires after these seconds. */
  const create = async (type: string, expiresIn?: number): Promise<string> => {
    const { id, secret } = await createWebhook(account.live, { url: receiver.url, events: [type] });
    if (expiresIn === undefined) {
      secrets.set(id, [secret]);
      return id;
    }
    const { text } = await account.live.postJson(`/v1/webhooks/${id}/rotate-secret`, { expiresIn });
    const { secret: next } = JSON.parse(text) as { secret: string };
    secrets.set(id, [next, secret]);
    return id;
  };

  const run = (keys: string, ...programArguments: readonly string[]) =>
    runProgram({ ...service.settings, [keySetting]: keys }, ...programArguments);

  const configWith = (...names: readonly string[]) =>
    loadConfig({ ...service.settings, [keySetting]: encryptionKeys(...names) });

  const reencrypt = async (keys: string) =>
    JSON.parse(
      (await runCommand({ ...service.settings, [keySetting]: keys }, 'secrets', 'reencrypt', '--json'))
        .stdout,
    ) as Reencrypted;

  const reencryptionsOf = async (webhookId: string) =>
    (await log.recordsOf('webhooks', webhookId)).filter(
      ({ type }) => type === 'postrider.webhook.secret-reencrypted',
    );

  for (const role of ['api', 'delivery']) {
    it(`is required before ${role} can start without the old key, and the error names the key and the webhooks`, async () => {
      const { code, stderr } = await run(encryptionKeys('second'), role);
      const names = [rotated, disabled, expired].every((id) => stderr.includes(id));
      expect([code, stderr.includes('no key "first"'), names]).to.deep.equal([1, true, true]);
    });
  }

  it('fails if a key is missing that it needs to decrypt a secret, and names the key', async () => {
    const { code, stderr } = await run(encryptionKeys('second'), 'secrets', 'reencrypt');
    expect([code, stderr.split(',')[0]]).to.deep.equal([1, `postrider: ${keySetting} lacks "first"`]);
  });

  it('keeps its progress if it is interrupted, and a second run completes the rest', async () => {
    const config = configWith('second', 'first');
    const cutOff = (done: number) => {
      if (done === 1) {
        throw new Error('cut off');
      }
    };
    await service
      .withStores((stores) => reencryptSecrets(stores, config.encryptionKeys, cutOff))
      .catch(() => null);
    await reencrypt(encryptionKeys('second', 'first'));
    const records = await Promise.all([rotated, disabled, expired].map(reencryptionsOf));
    expect(records.map(({ length }) => length)).to.deep.equal([1, 1, 1]);
  });

  it('skips deleted webhooks', async () => {
    expect(await reencryptionsOf(deleted)).to.deep.equal([]);
  });

  it('leaves no valid secret or header encrypted with the old key, including those of disabled webhooks', async () => {
    const keys = await service.withStores(async ({ models }) => {
      const { documents } = await models.webhooks.findInAllAccounts([rotated, disabled, expired]);
      return documents.flatMap((webhook) =>
        webhook.status === 'deleted' ? [] : sealedOf({ ...webhook, id: webhook._id }, new Date(0)),
      );
    });
    expect(keys.map(({ value }) => value.key)).to.deep.equal(Array(5).fill('second'));
  });

  it('reports that nothing is left to do and that the old key can be removed', async () => {
    expect(await run(encryptionKeys('second', 'first'), 'secrets', 'reencrypt')).to.deep.equal({
      code: 0,
      stdout:
        'All secrets in use were already encrypted with the key "second".\n' +
        `"first" is not needed any more. Remove it from ${keySetting}.\n`,
      stderr: '',
    });
  });

  it('reports for how long stored responses need the old key', async () => {
    await account.live.postJson('/v1/events', { type: 'a', data: {} }, { 'idempotency-key': 'k' });
    const { oldKeysNeededUntil } = await reencrypt(encryptionKeys('second', 'first'));
    const inHours = (Date.parse(oldKeysNeededUntil ?? '') - Date.now()) / 3_600_000;
    expect(Math.round(inHours)).to.equal(24);
  });

  it('is recorded in the audit log with the operator as its actor', async () => {
    const shown = await eventually('an entry for each webhook', async () => {
      const { text } = await account.live.get('/v1/audit-log?limit=100');
      const { data } = JSON.parse(text) as {
        data: { action: string; actor: { type: string }; changes: unknown }[];
      };
      const entries = data.filter(({ action }) => action === 'webhook.secret_reencrypted');
      return entries.length >= 3 ? entries : null;
    });
    expect(shown.map(({ actor, changes }) => [actor.type, changes])).to.deep.equal(
      Array(3).fill(['operator', {}]),
    );
  });

  it('lets processes start without the old key, and they sign with every secret and send the headers', async () => {
    await service.stopRole('delivery');
    const settings = { ...service.settings, [keySetting]: encryptionKeys('second') };
    await startRoleProcess('delivery', settings);
    const api = await startRoleProcess('api', settings);
    await postEvent(createClient(api.address, account.liveKey), 'rotated');
    const [request] = await receiver.received(1, 20_000);
    expect((secrets.get(rotated) ?? []).map((secret) => placeOfSignature(secret, request))).to.deep.equal([
      0, 1,
    ]);
    expect(request?.headers).to.include({ 'x-api-key': headerValue });
  });

  it('fails if a process still encrypts with the old key', async () => {
    const old = await startAnotherApi({ ...service, config: configWith('first', 'second') });
    const client = createClient(old.address, account.liveKey);
    const failure = await service
      .withStores((stores) => {
        const commands: AppendingCommandRunner = {
          ...stores.commands,
          run: async (command) => {
            const result = await stores.commands.run(command);
            await createWebhook(client, { url: receiver.url });
            return result;
          },
        };
        const { encryptionKeys: keys } = configWith('third', 'second', 'first');
        return reencryptSecrets({ ...stores, commands }, keys, () => undefined);
      })
      .catch(String);
    expect(failure).to.contain('so the process has another first key');
  });
});

/** The index of the signature by this secret in a request, or -1. */
function placeOfSignature(secret: string, request: ReceivedRequest | undefined): number {
  const header = (name: string) => String(request?.headers[name]);
  const signedAt = new Date(Number(header('webhook-timestamp')) * 1000);
  const signature = new Webhook(secret).sign(header('webhook-id'), signedAt, String(request?.body));
  return header('webhook-signature').split(' ').indexOf(signature);
}
