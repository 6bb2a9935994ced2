import { expect } from 'chai';

import {
  evolveWebhook,
  type WebhookFact,
  type WebhookState,
} from '../../../../shared/domain/webhooks/webhook.js';
import { scenario, secondsLater, type InContext } from '../../../support/facts.js';
import { webhookCreated, webhookUpdated } from '../../../support/webhookFacts.js';

const { given } = scenario<NonNullable<WebhookState>, InContext<WebhookFact>>(evolveWebhook);

describe('evolveWebhook: name and mute', () => {
  it('contains the name that it was created with', () => {
    expect(given().when(webhookCreated({ name: 'Orders' })).after).to.include({ name: 'Orders' });
  });

  it('contains the last name and the last time until which it is muted', () => {
    const { after } = given(webhookCreated()).when(
      webhookUpdated({
        name: { from: null, to: 'Orders' },
        mutedUntil: { from: null, to: secondsLater(60) },
      }),
    );
    expect(after).to.deep.include({ name: 'Orders', mutedUntil: secondsLater(60) });
  });

  it('loses both with null', () => {
    const { after } = given(
      webhookCreated({ name: 'Orders' }),
      webhookUpdated({ mutedUntil: { from: null, to: secondsLater(60) } }),
    ).when(
      webhookUpdated({
        name: { from: 'Orders', to: null },
        mutedUntil: { from: secondsLater(60), to: null },
      }),
    );
    expect(after).to.deep.include({ name: null, mutedUntil: null });
  });
});
