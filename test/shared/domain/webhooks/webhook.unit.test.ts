import { expect } from 'chai';
import fc from 'fast-check';

import {
  evolveWebhook,
  type WebhookFact,
  type WebhookState,
} from '../../../../shared/domain/webhooks/webhook.js';
import { validSecrets } from '../../../../shared/domain/webhooks/signingSecrets.js';
import { anyWebhookFact } from '../../../support/arbitraries.js';
import {
  contextOf,
  scenario,
  secondsLater,
  start,
  testActor as actor,
  testIdentifier,
  type InContext,
} from '../../../support/facts.js';
import {
  at,
  credentialChange,
  sealed,
  secretRotated,
  secretsReencrypted,
  testWebhookId,
  webhookCreated,
  webhookDeleted,
  webhookDisabled,
  webhookEnabled,
  webhookUpdated,
} from '../../../support/webhookFacts.js';
import { itHolds } from '../../../support/itHolds.js';

const { given } = scenario<NonNullable<WebhookState>, InContext<WebhookFact>>(evolveWebhook);

const changes = {
  url: { from: 'https://example.com/hook', to: 'https://example.com/other' },
  events: { from: ['order.completed'], to: ['*'] },
  description: { from: null, to: 'Orders' },
};

const deleted = {
  id: testWebhookId,
  accountId: testIdentifier('acct'),
  mode: 'live',
  tenantId: null,
  tenancy: null,
  status: 'deleted',
};

/** Every fact that changes a webhook, for a webhook of epoch 0. */
const changingFacts = [
  webhookUpdated(changes),
  secretRotated(sealed('second'), secondsLater(60)),
  secretsReencrypted('first'),
  webhookDisabled('manual', 0),
  webhookEnabled(),
];

const anyFacts = fc.array(
  anyWebhookFact.map((fact) => ({ ...fact, context: contextOf(testWebhookId) })),
  { maxLength: 12 },
);

function statusOf(state: WebhookState): string {
  return state?.status ?? 'none';
}

describe('evolveWebhook: created', () => {
  it('creates an active webhook with the key, account, mode and time of the record', () => {
    const { after } = given().when(webhookCreated());

    expect(after).to.deep.equal({
      id: testWebhookId,
      accountId: testIdentifier('acct'),
      mode: 'live',
      tenantId: null,
      tenancy: null,
      url: 'https://example.com/hook',
      events: ['order.completed'],
      description: null,
      name: null,
      mutedUntil: null,
      status: 'active',
      disabledReason: null,
      created: start,
      enabledAt: start,
      secrets: [{ secret: sealed('first'), created: start, expiresAt: null }],
      options: null,
      eventsFrom: [10, 20, 30],
      epoch: 0,
      version: 0,
    });
  });

  it('creates a test webhook if the record is in test mode', () => {
    const { after } = given().when({
      ...webhookCreated(),
      context: contextOf(testWebhookId, { mode: 'test' }),
    });

    expect(after).to.include({ mode: 'test' });
  });

  it('changes nothing if the webhook exists', () => {
    const { before, after } = given(webhookCreated()).when(
      webhookCreated({ url: 'https://example.com/other' }),
    );

    expect(after).to.deep.equal(before);
  });

  it('does not restore a deleted webhook', () => {
    const { after } = given(webhookCreated(), webhookDeleted()).when(webhookCreated());

    expect(after).to.deep.equal(deleted);
  });

  it('does not restore a webhook whose deletion came first', () => {
    const { after } = given(webhookDeleted()).when(webhookCreated());

    expect(after).to.deep.equal(deleted);
  });
});

describe('evolveWebhook: updated', () => {
  it('changes all its fields', () => {
    const { after } = given(webhookCreated()).when(webhookUpdated(changes));

    expect(after).to.deep.include({ url: changes.url.to, events: ['*'], description: 'Orders' });
  });

  for (const field of ['url', 'events', 'description'] as const) {
    it(`changes only the ${field} if it contains nothing else`, () => {
      const { before, after } = given(webhookCreated()).when(webhookUpdated({ [field]: changes[field] }));

      const version = field === 'url' ? 1 : 0;
      expect(after).to.deep.equal({ ...before, [field]: changes[field].to, version });
    });
  }

  it('removes the description', () => {
    const { after } = given(webhookCreated({ description: 'Orders' })).when(
      webhookUpdated({ description: { from: 'Orders', to: null } }),
    );

    expect(after).to.include({ description: null });
  });
});

describe('evolveWebhook: secrets', () => {
  it('contain the time at which the webhook got each of them', () => {
    const rotation = at(secondsLater(30), secretRotated(sealed('second'), secondsLater(60)));
    const { after } = given(webhookCreated()).when(rotation);
    expect(after?.status === 'active' && after.secrets.map(({ created }) => created)).to.deep.equal([
      secondsLater(30),
      start,
    ]);
  });

  it('start with the new secret, followed by the previous one until it expires', () => {
    const { after } = given(webhookCreated()).when(secretRotated(sealed('second'), secondsLater(60)));

    expect(after).to.deep.include({
      secrets: [
        { secret: sealed('second'), created: start, expiresAt: null },
        { secret: sealed('first'), created: start, expiresAt: secondsLater(60) },
      ],
    });
  });

  it('keep the expiry of a secret that was rotated before', () => {
    const { after } = given(webhookCreated(), secretRotated(sealed('second'), secondsLater(60))).when(
      secretRotated(sealed('third'), secondsLater(300)),
    );

    expect(after).to.deep.include({
      secrets: [
        { secret: sealed('third'), created: start, expiresAt: null },
        { secret: sealed('second'), created: start, expiresAt: secondsLater(300) },
        { secret: sealed('first'), created: start, expiresAt: secondsLater(60) },
      ],
    });
  });

  it('end all with the previous one, also those of earlier rotations', () => {
    const { after } = given(webhookCreated(), secretRotated(sealed('second'), secondsLater(300))).when(
      secretRotated(sealed('third'), secondsLater(0)),
    );

    expect(after?.status === 'active' && validSecrets(after.secrets, start)).to.deep.equal([
      { secret: sealed('third'), created: start, expiresAt: null },
    ]);
  });

  it('keep their order and expiry when they are encrypted again', () => {
    const { after } = given(webhookCreated(), secretRotated(sealed('second'), secondsLater(60))).when(
      secretsReencrypted('second', 'first'),
    );

    expect(after).to.deep.include({
      secrets: [
        { secret: sealed('second again'), created: start, expiresAt: null },
        { secret: sealed('first again'), created: start, expiresAt: secondsLater(60) },
      ],
    });
  });

  it('are removed by the next fact after their expiry', () => {
    const rotatedOnce = [webhookCreated(), secretRotated(sealed('second'), secondsLater(60))];
    const { after } = given(...rotatedOnce).when(at(secondsLater(60), webhookUpdated({})));

    expect(after).to.deep.include({
      secrets: [{ secret: sealed('second'), created: start, expiresAt: null }],
    });
  });

  it('are kept by facts from before their expiry', () => {
    const rotatedOnce = [webhookCreated(), secretRotated(sealed('second'), secondsLater(60))];
    const { before, after } = given(...rotatedOnce).when(at(secondsLater(59), webhookUpdated({})));

    expect(after).to.deep.equal(before);
  });

  it('are matched by their content if one has expired since they were read for encryption', () => {
    const { after } = given(
      webhookCreated(),
      secretRotated(sealed('second'), secondsLater(60)),
      secretRotated(sealed('third'), secondsLater(300)),
    ).when(
      at(secondsLater(90), webhookUpdated({})),
      at(secondsLater(91), secretsReencrypted('third', 'second', 'first')),
    );

    expect(after).to.deep.include({
      secrets: [
        { secret: sealed('third again'), created: start, expiresAt: null },
        { secret: sealed('second again'), created: start, expiresAt: secondsLater(300) },
      ],
    });
  });

  it('are limited to ten: the oldest is removed', () => {
    const rotations = Array.from({ length: 12 }, (_, number) =>
      secretRotated(sealed(`rotated ${number}`), secondsLater(300)),
    );
    const { after } = given(webhookCreated()).when(...rotations);
    const secrets = after === null || after.status === 'deleted' ? [] : after.secrets;

    expect([secrets.length, secrets.at(-1)?.secret]).to.deep.equal([10, sealed('rotated 2')]);
  });

  it('stay unchanged if an encryption did not know of them', () => {
    const { after } = given(webhookCreated(), secretRotated(sealed('second'), secondsLater(60))).when(
      secretsReencrypted('second'),
    );

    expect(after).to.deep.include({
      secrets: [
        { secret: sealed('second again'), created: start, expiresAt: null },
        { secret: sealed('first'), created: start, expiresAt: secondsLater(60) },
      ],
    });
  });
});

describe('evolveWebhook: credentials', () => {
  const [name, other] = ['headers/x-a', 'headers/x-b'];
  const created = webhookCreated({ credentials: [credentialChange(name, null, 'a')] });
  const credentialsOf = (state: WebhookState) => (state?.status === 'active' ? state.credentials : null);

  it('are those of the creation, then with each change, each with the time of its last change', () => {
    const { after } = given(created).when(
      at(secondsLater(1), webhookUpdated({}, [credentialChange(other, null, 'b')])),
      at(secondsLater(2), webhookUpdated({}, [credentialChange(name, 'a', 'c')])),
      at(secondsLater(3), webhookUpdated({ name: { from: null, to: 'Orders' } })),
    );

    expect(credentialsOf(after)).to.deep.equal([
      { name, value: sealed('c'), updated: secondsLater(2) },
      { name: other, value: sealed('b'), updated: secondsLater(1) },
    ]);
  });

  it('are missing as soon as the last one is removed, as in a webhook that never had any', () => {
    const { after } = given(created).when(webhookUpdated({}, [credentialChange(name, 'a', null)]));

    expect(after).not.to.have.property('credentials');
    expect(given(webhookCreated()).when().after).not.to.have.property('credentials');
  });

  it('keep their time and begin no version when they are encrypted again', () => {
    const { after } = given(created).when(at(secondsLater(9), secretsReencrypted('first', 'a')));

    expect(credentialsOf(after)).to.deep.equal([{ name, value: sealed('a again'), updated: start }]);
    expect(after).to.include({ version: 0 });
  });

  it('are gone with a deleted webhook', () => {
    expect(JSON.stringify(given(created).when(webhookDeleted()).after)).not.to.include(sealed('a').sealed);
  });
});

describe('evolveWebhook: disabled and enabled', () => {
  for (const reason of ['manual', 'gone', 'failing'] as const) {
    it(`disables for the reason ${reason}, and ends the epoch`, () => {
      const { before, after } = given(webhookCreated()).when(webhookDisabled(reason, 0));

      expect(after).to.deep.equal({ ...before, status: 'disabled', disabledReason: reason, epoch: 1 });
    });
  }

  it('keeps the first reason if it is disabled twice', () => {
    const { before, after } = given(webhookCreated(), webhookDisabled('gone', 0)).when(
      webhookDisabled('failing', 0),
    );

    expect(after).to.deep.equal(before);
  });

  it('is not disabled for an older epoch', () => {
    const { before, after } = given(webhookCreated(), webhookDisabled('manual', 0), webhookEnabled()).when(
      webhookDisabled('gone', 0),
    );

    expect(after).to.deep.equal(before);
  });

  it('is disabled for its own epoch, and ends that one too', () => {
    const { after } = given(webhookCreated(), webhookDisabled('manual', 0), webhookEnabled()).when(
      webhookDisabled('gone', 1),
    );

    expect(after).to.include({ status: 'disabled', disabledReason: 'gone', epoch: 2 });
  });

  it('is enabled in the epoch that the disabling has started', () => {
    const { after } = given(webhookCreated(), webhookDisabled('gone', 0)).when(webhookEnabled());

    expect(after).to.include({ status: 'active', disabledReason: null, epoch: 1 });
  });

  it('contains the time at which it was last enabled', () => {
    const { after } = given(webhookCreated(), webhookDisabled('gone', 0)).when(
      at(secondsLater(7), webhookEnabled()),
    );

    expect(after).to.deep.include({ created: start, enabledAt: secondsLater(7) });
  });

  it('is not enabled again while it is active', () => {
    const { before, after } = given(webhookCreated()).when(at(secondsLater(7), webhookEnabled()));

    expect(after).to.deep.equal(before);
  });

  it('retains the first reason and its epoch', () => {
    const { before, after } = given(webhookCreated(), webhookDisabled('manual', 0)).when(
      webhookDisabled('gone', 1),
    );

    expect(after).to.deep.equal(before);
  });
});

describe('evolveWebhook: deleted', () => {
  for (const earlier of [[], [webhookCreated()], [webhookCreated(), webhookDisabled('gone', 0)]]) {
    const { before, after } = given(...earlier).when(webhookDeleted());
    it(`keeps only id, account and mode of a webhook that was ${before?.status ?? 'unknown'}`, () => {
      expect(after).to.deep.equal(deleted);
    });
  }

  it('leaves the mode of a test webhook', () => {
    const context = contextOf(testWebhookId, { mode: 'test' });

    expect(given().when({ ...webhookDeleted(), context }).after).to.deep.equal({ ...deleted, mode: 'test' });
  });

  for (const fact of [webhookCreated(), webhookDeleted(), ...changingFacts]) {
    it(`is not changed by ${fact.type}`, () => {
      const { before, after } = given(webhookCreated(), webhookDeleted()).when(fact);

      expect(after).to.deep.equal(before);
    });
  }

  itHolds('is final, whatever follows', [anyFacts, anyFacts], (earlier, later) => {
    expect(statusOf(given(...earlier, webhookDeleted()).when(...later).after)).to.equal('deleted');
  });
});

describe('evolveWebhook: any facts', () => {
  for (const fact of changingFacts) {
    it(`create no webhook from ${fact.type}`, () => {
      expect(given().when(fact).after).to.equal(null);
    });
  }

  itHolds('never lower the epoch, and increment it by one at most', [anyFacts], (facts) => {
    let epoch = 0;
    for (let length = 0; length <= facts.length; length += 1) {
      const state = given(webhookCreated(), ...facts.slice(0, length)).when().after;
      const next = state === null || state.status === 'deleted' ? epoch : state.epoch;

      expect(next - epoch).to.be.oneOf([0, 1]);
      epoch = next;
    }
  });

  itHolds('contain a reason exactly while the webhook is disabled', [anyFacts], (facts) => {
    const state = given(webhookCreated(), ...facts).when().after;
    const isDisabled = state?.status === 'disabled';

    expect(state !== null && 'disabledReason' in state && state.disabledReason !== null).to.equal(isDisabled);
  });

  itHolds('leave one secret without an end, which is the first', [anyFacts], (facts) => {
    const state = given(webhookCreated(), ...facts).when().after;
    const secrets = state === null || state.status === 'deleted' ? [] : state.secrets;
    const endless = secrets.flatMap(({ expiresAt }, index) => (expiresAt === null ? [index] : []));

    expect(endless).to.deep.equal(secrets.length === 0 ? [] : [0]);
  });

  itHolds('do not modify the state before', [anyFacts, anyFacts], (earlier, later) => {
    const before = given(webhookCreated(), ...earlier).when().after;
    const copy = structuredClone(before);
    later.reduce<WebhookState>(evolveWebhook, before);

    expect(before).to.deep.equal(copy);
  });
});

describe('the tenant of a webhook', () => {
  const inTenant = <Fact extends InContext<WebhookFact>>(fact: Fact): Fact => ({
    ...fact,
    context: { ...fact.context, tenantId: 'customer-1', tenancy: '01M7' },
  });

  it('is in the record of its creation, and never changes', () => {
    const { after } = given(inTenant(webhookCreated())).when(
      webhookUpdated(changes),
      webhookDisabled('manual', 0),
    );
    expect(after).to.include({ tenantId: 'customer-1', tenancy: '01M7', status: 'disabled' });
  });

  it('remains after the deletion, with the reason of the first deletion', () => {
    const byTenant = {
      type: 'postrider.webhook.deleted',
      value: { reason: 'tenant_deleted', actor },
    } as const;
    const { after } = given(inTenant(webhookCreated())).when(
      inTenant({ ...webhookDeleted(), ...byTenant }),
      webhookDeleted(),
    );
    expect(after).to.deep.equal({
      ...deleted,
      tenantId: 'customer-1',
      tenancy: '01M7',
      reason: 'tenant_deleted',
    });
  });
});
