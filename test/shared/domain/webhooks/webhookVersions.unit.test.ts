import { expect } from 'chai';
import fc from 'fast-check';

import {
  evolveWebhook,
  type Webhook,
  type WebhookFact,
  type WebhookState,
} from '../../../../shared/domain/webhooks/webhook.js';
import { anyWebhookFact } from '../../../support/arbitraries.js';
import { contextOf, scenario, type InContext } from '../../../support/facts.js';
import {
  testWebhookId,
  webhookCreated,
  webhookDisabled,
  webhookUpdated,
} from '../../../support/webhookFacts.js';
import { itHolds } from '../../../support/itHolds.js';

const { given } = scenario<NonNullable<WebhookState>, InContext<WebhookFact>>(evolveWebhook);

const moved = webhookUpdated({ url: { from: 'https://example.com/hook', to: 'https://example.com/other' } });

const anyFacts = fc
  .array(
    anyWebhookFact.map((fact) => ({ ...fact, context: contextOf(testWebhookId) })),
    { maxLength: 12 },
  )
  .map((facts) => facts.filter(({ type }) => type !== 'postrider.webhook.deleted'));

function webhookOf(state: WebhookState): Webhook {
  if (state === null || state.status === 'deleted') {
    throw new Error('there is no webhook');
  }
  return state;
}

/** What decides where requests go, and as whom. */
function addressOf({ url, credentials }: Webhook): string {
  return JSON.stringify([url, credentials?.map(({ name, value }) => [name, value.sealed])]);
}

describe('the version of a webhook', () => {
  itHolds('begins exactly with another URL or credential, and when it is enabled', [anyFacts], (facts) => {
    let before = webhookOf(given(webhookCreated()).when().after);
    for (const fact of facts) {
      const after = webhookOf(evolveWebhook(before, fact));
      const isEnabled = before.status === 'disabled' && after.status === 'active';
      const isUpdated = fact.type === 'postrider.webhook.updated';
      const isOther = isUpdated && addressOf(after) !== addressOf(before);

      expect(after.version - before.version).to.equal(Number(isOther) + Number(isEnabled));
      before = after;
    }
  });

  itHolds('is never disabled by a record of an earlier version', [anyFacts, fc.nat(3)], (facts, version) => {
    const { before, after } = given(webhookCreated(), ...facts).when(
      webhookDisabled('gone', Number.MAX_SAFE_INTEGER, version),
    );
    fc.pre(webhookOf(before).version > version);

    expect(after).to.deep.equal(before);
  });

  it('is disabled by an outcome of its present version, by a client, and by a record of an earlier version of the service', () => {
    for (const version of [1, undefined]) {
      const { after } = given(webhookCreated(), moved).when(webhookDisabled('failing', 0, version));

      expect(after).to.include({ status: 'disabled', epoch: 1, version: 1 });
    }
  });

  it('is the same after a repeated record of a change', () => {
    expect(given(webhookCreated(), moved).when(moved).after).to.include({ version: 1 });
  });
});
