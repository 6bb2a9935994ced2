import { expect } from 'chai';

import type { Actor } from '../../../../shared/domain/core/fact.js';
import { accountRecords } from '../../../../shared/log/records/accounts.js';
import { deliveryRecords } from '../../../../shared/log/records/deliveries.js';
import type { OutgoingRecord } from '../../../../shared/log/encoding/record.js';
import { replayRecords } from '../../../../shared/log/records/replays.js';
import { webhookRecords } from '../../../../shared/log/records/webhooks.js';
import { contextOf, testIdentifier } from '../../../support/facts.js';
import { rawRecord } from '../../../support/records.js';

const ada: Actor = { type: 'user', id: testIdentifier('usr'), name: 'Ada' };

const webhookId = testIdentifier('wh');
const context = contextOf(webhookId);
const request = { webhookId, cycle: 1, epoch: 0, replayId: null, trigger: 'resend' } as const;

/** A record of each topic that is not sealed and contains an actor. */
const recordsBy: Readonly<Record<string, (actor: Actor) => OutgoingRecord>> = {
  webhooks: (actor) =>
    webhookRecords.encode({ type: 'postrider.webhook.deleted', value: { actor } }, context),
  deliveries: (actor) =>
    deliveryRecords.encode(
      { type: 'postrider.delivery.requested', value: { ...request, actor } },
      context,
      0,
    ),
  replays: (actor) =>
    replayRecords.encode(
      { type: 'postrider.replay.canceled', value: { reason: 'requested', actor } },
      context,
    ),
};

function actorIn({ value }: OutgoingRecord): Actor {
  return (JSON.parse(value.toString()) as { readonly actor: Actor }).actor;
}

describe('withoutNames', () => {
  for (const [topic, recordBy] of Object.entries(recordsBy)) {
    for (const type of ['user', 'api_key'] as const) {
      it(`removes the name of an actor of the type ${type} from a record of ${topic}, and keeps the id`, () => {
        expect(actorIn(recordBy({ ...ada, type }))).to.deep.equal({ ...ada, type, name: null });
      });
    }

    for (const type of ['operator', 'system'] as const) {
      it(`keeps the name of an actor of the type ${type} in a record of ${topic}`, () => {
        const actor: Actor = { type, id: null, name: 'Postrider' };
        expect(actorIn(recordBy(actor))).to.deep.equal(actor);
      });
    }
  }

  it('keeps names in sealed records', () => {
    const record = accountRecords.encode(
      { type: 'postrider.account.suspended', value: { actor: ada } },
      context,
    );
    expect(actorIn(record)).to.deep.equal(ada);
  });

  it('does not change what an earlier record with a name is decoded to', () => {
    const record = webhookRecords.encode(
      { type: 'postrider.webhook.deleted', value: { actor: ada } },
      context,
    );
    const value = Buffer.from(JSON.stringify({ actor: ada }));
    const decoded = webhookRecords.decode(rawRecord({ ...record, value }));
    expect(decoded.readable ? decoded.content.value : decoded.reason).to.deep.equal({ actor: ada });
  });
});
