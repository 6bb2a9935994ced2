import { expect } from 'chai';

import { createDisableWebhook, systemActor } from '../../../consumers/retry/disableWebhook.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { evolveWebhook, type Webhook } from '../../../shared/domain/webhooks/webhook.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import type { WebhookDocument } from '../../../shared/store/models/documents.js';
import { start } from '../../support/facts.js';
import {
  webhookCreated,
  webhookDisabled,
  webhookEnabled,
  webhookUpdated,
} from '../../support/webhookFacts.js';

const created = webhookCreated();
const active = after(created);
const disabledOnce = after(created, webhookDisabled('gone', 0));
const enabledAgain = after(created, webhookDisabled('gone', 0), webhookEnabled());
const moved = after(created, webhookUpdated({ url: { from: active.url, to: 'https://example.com/new' } }));

function after(...facts: readonly (typeof created)[]): Webhook {
  const state = facts.reduce<ReturnType<typeof evolveWebhook>>(evolveWebhook, null);
  if (state === null || state.status === 'deleted') {
    throw new Error('there is no webhook');
  }
  return state;
}

function documentOf({ id: _id, ...fields }: Webhook): WebhookDocument {
  return { _id, ...fields, positions: {}, recordIds: [] };
}

/**
 * A process that disables webhooks, with its appended records. `acknowledge` acknowledges them.
 * @param folded what the model contains once it has read the record
 */
function openProcess(
  stored: WebhookDocument | null | Error,
  folded: WebhookDocument = documentOf(disabledOnce),
) {
  const ids: (string | undefined)[] = [];
  const values: unknown[] = [];
  const waiting: (() => void)[] = [];
  let inModel = stored;
  const unused = () => Promise.reject(new Error('not asked'));
  const meta = { _id: 'meta', version: 1, complete: true, positions: {}, target: {} } as const;
  const { gone } = createDisableWebhook({
    log: {
      append: async ({ headers, value }) => {
        ids.push(headers['ce_id']);
        values.push(JSON.parse(String(value)));
        await new Promise<void>((resolve) => waiting.push(resolve));
        return { topic: 'webhooks', partition: 0, offset: 0 };
      },
      appendTogether: unused,
    },
    commandRunner: { run: unused },
    models: {
      webhooks: {
        findByIds: () =>
          inModel instanceof Error
            ? Promise.reject(inModel)
            : Promise.resolve({ documents: inModel === null ? [] : [inModel], meta }),
      },
    },
    progress: {
      reached: (topic, offsets) => {
        expect([topic, [...offsets]]).to.deep.equal(['webhooks', [[0, 1]]]);
        inModel = folded;
        return Promise.resolve(true);
      },
    },
    clock: () => start,
  });
  return { gone, ids, values, acknowledge: () => waiting.splice(0).forEach((resolve) => resolve()) };
}

/** The results of these attempts, which all get a 410, and the ids of the records that the process appends. */
async function endsOf(process: ReturnType<typeof openProcess>, ...webhooks: readonly Webhook[]) {
  const { gone, ids, acknowledge } = process;
  const all = Promise.all(webhooks.map(gone));
  const acknowledging = setInterval(acknowledge, 1);
  const ended = await all.finally(() => {
    clearInterval(acknowledging);
  });
  return { ended, ids };
}

async function idsOf(stored: WebhookDocument | null | Error, ...webhooks: readonly Webhook[]) {
  return (await endsOf(openProcess(stored), ...webhooks)).ids;
}

describe('the disabling of a webhook after a 410', () => {
  it('appends one record for all attempts in flight of a process', async () => {
    expect(await idsOf(documentOf(active), ...Array.from({ length: 25 }, () => active))).to.have.length(1);
  });

  it('names the reason, the epoch that ends and the version of the request', async () => {
    const { gone, values, acknowledge } = openProcess(documentOf(active));
    const disabling = gone(active);
    await new Promise(setImmediate);
    acknowledge();
    await disabling;
    expect(values).to.deep.equal([{ reason: 'gone', epoch: 0, version: 0, actor: systemActor }]);
  });

  it('uses one record id for each epoch and version of a webhook, in every process', async () => {
    const [first, second, later, otherUrl] = [
      await idsOf(documentOf(active), active),
      await idsOf(documentOf(active), active),
      await idsOf(documentOf(enabledAgain), enabledAgain),
      await idsOf(documentOf(moved), moved),
    ];
    expect(first).to.deep.equal(second);
    expect(new Set([first, later, otherUrl].flat()).size).to.equal(3);
  });

  it('ends the epoch if the model shows it after the record', async () => {
    expect((await endsOf(openProcess(documentOf(active)), active)).ended).to.deep.equal([true]);
  });

  it('ends nothing if another URL precedes the record in the log', async () => {
    const process = openProcess(documentOf(active), documentOf(moved));
    expect((await endsOf(process, active)).ended).to.deep.equal([false]);
  });

  it('appends no record, and ends nothing, if the model shows another URL', async () => {
    expect(await endsOf(openProcess(documentOf(moved)), active)).to.deep.equal({ ended: [false], ids: [] });
  });

  const { id: _id, accountId, mode } = active;
  const deleted = {
    ...{ _id, accountId, mode, tenantId: null, tenancy: null },
    status: 'deleted' as const,
    ...{ positions: {}, recordIds: [] },
  };
  for (const [what, stored] of Object.entries({
    'the webhook was disabled': documentOf(disabledOnce),
    'the webhook was disabled and enabled': documentOf(enabledAgain),
    'the webhook was deleted': deleted,
  })) {
    it(`appends no record if the model shows that ${what} meanwhile`, async () => {
      expect(await idsOf(stored, active)).to.deep.equal([]);
    });
  }

  for (const [what, stored] of Object.entries({
    'does not contain the webhook': null,
    'cannot be read': new UnavailableError('the database is unavailable'),
  })) {
    it(`appends the record if the model ${what}`, async () => {
      expect(await idsOf(stored, active)).to.have.length(1);
    });
  }
});

describe('the disabling of a webhook that has failed for too long', () => {
  /** What the command appends, under the lease of the account, if the model contains this webhook. */
  const appendedIf = async (stored: WebhookDocument | null, webhook = active, isStillFailing = true) => {
    const commands: unknown[] = [];
    const records: OutgoingRecord[] = [];
    const meta = { _id: 'meta', version: 1, complete: true, positions: {}, target: {} } as const;
    const unused = () => Promise.reject(new Error('the command appends its records'));
    const { failing } = createDisableWebhook({
      log: { append: unused, appendTogether: unused },
      commandRunner: {
        run: async ({ decide, ...command }) => {
          commands.push(command);
          const decision = await decide();
          records.push(...decision.records);
          return decision.result;
        },
      },
      models: {
        webhooks: {
          findByIds: (_accountId, ids) =>
            Promise.resolve({
              documents: stored === null ? [] : [stored].filter(({ _id }) => ids.includes(_id)),
              meta,
            }),
        },
      },
      progress: { reached: unused },
      clock: () => start,
    });
    const isDisabled = await failing(webhook, () => Promise.resolve(isStillFailing));
    return { isDisabled, commands, records };
  };

  it('appends the reason and the epoch under the lease of the account', async () => {
    const { isDisabled, commands, records } = await appendedIf(documentOf(active));
    expect(isDisabled).to.equal(true);
    expect(commands).to.deep.equal([{ accountId: active.accountId, tenant: null, topic: 'webhooks' }]);
    expect(records.map(({ key }) => key)).to.deep.equal([active.id]);
    expect(records.map(({ headers }) => headers['ce_type'])).to.deep.equal(['postrider.webhook.disabled']);
    expect(records.map(({ value }) => JSON.parse(String(value)) as unknown)).to.deep.equal([
      { reason: 'failing', epoch: active.epoch, version: active.version, actor: systemActor },
    ]);
  });

  it('has the lease of the tenant of the webhook', async () => {
    const ofTenant = { ...active, tenantId: 'customer-1', tenancy: 'life-1' };
    const { commands } = await appendedIf(documentOf(ofTenant), ofTenant);
    expect(commands).to.deep.equal([
      {
        ...{ accountId: active.accountId, topic: 'webhooks' },
        tenant: { mode: active.mode, tenantId: 'customer-1' },
      },
    ]);
  });

  it('appends nothing if the webhook is no longer failing under the lease', async () => {
    expect((await appendedIf(documentOf(active), active, false)).records).to.deep.equal([]);
  });

  for (const [what, stored] of Object.entries({
    'was disabled': documentOf(disabledOnce),
    'was disabled and enabled': documentOf(enabledAgain),
    'got another URL': documentOf(moved),
    'does not exist': null,
  })) {
    it(`appends nothing if the webhook ${what} meanwhile`, async () => {
      const { isDisabled, records } = await appendedIf(stored);
      expect({ isDisabled, records }).to.deep.equal({ isDisabled: false, records: [] });
    });
  }
});
