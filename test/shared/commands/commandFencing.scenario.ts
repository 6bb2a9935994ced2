import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import type { Caller } from '../../../api/http/context.js';
import type { Stores } from '../../../cli/environment/stores.js';
import { checkModel } from '../../../cli/rebuild/checkModel.js';
import { auditProjection } from '../../../projections/models/audit.js';
import { createRandom } from '../../../shared/core/random.js';
import { statusOf } from '../../../shared/domain/accounts/user.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { seededIdentity } from '../../../shared/domain/core/requestIdentity.js';
import { maximumWebhooksOfTenant } from '../../../shared/domain/webhooks/webhook.js';
import type { LogAppender } from '../../../shared/log/producer/producer.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { fenceType } from '../../../shared/log/records/fence.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import { fullTopicName } from '../../../shared/log/topics/names.js';
import { fencesOf, isFence } from '../../../shared/store/models/fences.js';
import { allPartitions } from '../../../shared/store/models/modelProgress.js';
import type { ModelName } from '../../../shared/store/models/modelDefinitions.js';
import { createErasure } from '../../../shared/store/queries/erasure.js';
import { userInvited, userJoined } from '../../support/accountFacts.js';
import { contextOf, testIdentifier, testRecordId } from '../../support/facts.js';
import { readTopic } from '../../support/readTopic.js';
import { startService, type TestService } from '../../support/service.js';
import { webhookCreated } from '../../support/webhookFacts.js';
import { callerOf, clock, delayedLog, fresh, outcomeOf, settings, startProcess } from './commandProcess.js';

const identifiers = createIdentifiers(createRandom());
const topics = ['webhooks', 'accounts'] as const;

describe('Commands of two processes', () => {
  // A test waits for the end of a lease, and for two rebuilds.
  let service: TestService;
  let caller: Caller;

  before(async () => {
    service = await startService({}, ['projections']);
  });

  beforeEach(async () => {
    caller = callerOf((await service.createAccount()).id);
  });

  const untilProjected = async ({ offsets, progress }: Stores) => {
    const models = { webhooks: ['webhooks', 'audit'], accounts: ['accounts', 'audit'] } as const;
    for (const topic of topics) {
      const ends = allPartitions(await offsets.ends(topic));
      for (const model of models[topic]) {
        expect(await progress[model].reached(topic, ends, 20_000)).to.equal(true);
      }
    }
  };

  /** Ends the lease of the account, as its expiry does. */
  const expireLease = ({ mongo }: Stores) =>
    mongo.database
      .collection<{ readonly _id: string }>('leases')
      .updateOne({ _id: caller.accountId }, { $set: { until: new Date(1) } });

  const webhooksOf = async ({ models }: Stores) =>
    (await models.webhooks.findAll({ accountId: caller.accountId })).documents;

  const auditOf = async ({ models }: Stores) =>
    (await models.audit.findAll({ accountId: caller.accountId })).documents.map(({ action }) => action);

  const recordsIn = async ({ offsets }: Stores) => {
    const ends = await Promise.all(topics.map((topic) => offsets.ends(topic)));
    return ends.flat().reduce((sum, end) => sum + end, 0);
  };

  /** Webhooks from before commands had numbers. */
  const appendWebhooks = (stores: Stores, count: number) =>
    Promise.all(
      Array.from({ length: count }, () => {
        const id = identifiers.createRecordId(clock());
        const context = contextOf(identifiers.create('wh', clock()), { id, accountId: caller.accountId });
        return stores.log.append(webhookRecords.encode(webhookCreated(), context));
      }),
    );

  const expectSameAfterRebuild = async (stores: Stores, ...models: readonly ModelName[]) => {
    for (const model of models) {
      const { differing, differences } = await checkModel(stores, model, {
        report: () => undefined,
        expiryMs: null,
      });
      expect({ model, differing, differences }).to.deep.equal({ model, differing: 0, differences: [] });
    }
  };

  it('never exceed the limit of webhooks if an append arrives after its lease', async () => {
    await service.withStores(async (stores) => {
      await appendWebhooks(stores, maximumWebhooksOfTenant - 1);
      const delayed = delayedLog(stores.log);
      const first = startProcess(stores, service, delayed.log);
      const second = startProcess(stores, service);
      const outcomes = [await outcomeOf(first.webhooks.create(caller, settings, fresh()))];
      // The second process waits until the lease has expired.
      outcomes.push(await outcomeOf(second.webhooks.create(caller, settings, fresh())));
      await delayed.arrive();
      await untilProjected(stores);
      outcomes.push(await outcomeOf(second.webhooks.create(caller, settings, fresh())));

      expect([outcomes, (await webhooksOf(stores)).length]).to.deep.equal([
        ['unknown', 'done', 'webhook_limit_reached'],
        maximumWebhooksOfTenant,
      ]);
      expect((await auditOf(stores)).filter((action) => action === 'webhook.created')).to.have.length(
        maximumWebhooksOfTenant,
      );
      await expectSameAfterRebuild(stores, 'webhooks', 'audit');
    });
  });

  it('count an append that arrives before the lease is taken over', async () => {
    await service.withStores(async (stores) => {
      await appendWebhooks(stores, maximumWebhooksOfTenant - 1);
      const delayed = delayedLog(stores.log);
      const outcomes = [
        await outcomeOf(
          startProcess(stores, service, delayed.log).webhooks.create(caller, settings, fresh()),
        ),
      ];
      await delayed.arrive();
      await expireLease(stores);
      outcomes.push(
        await outcomeOf(startProcess(stores, service).webhooks.create(caller, settings, fresh())),
      );
      expect([outcomes, (await webhooksOf(stores)).length]).to.deep.equal([
        ['unknown', 'webhook_limit_reached'],
        maximumWebhooksOfTenant,
      ]);
    });
  });

  it('never let two owners delete each other', async () => {
    await service.withStores(async (stores) => {
      const owners = [1, 2].map((number) => testIdentifier('usr', number));
      for (const [index, userId] of owners.entries()) {
        const link = { hash: `${caller.accountId} ${userId}`, expiresAt: new Date('2100-01-01') };
        const facts = [
          userInvited({ userId, email: `${userId}@example.com`, link }),
          userJoined({ userId, linkHash: link.hash }),
        ];
        for (const [step, fact] of facts.entries()) {
          const { accountId } = caller;
          const id = testRecordId(10 * index + step);
          const context = contextOf(accountId, { id, accountId, mode: null });
          await stores.log.append(accountRecords.encode(fact, context));
        }
      }
      const [one = '', other = ''] = owners;
      const delayed = delayedLog(stores.log);
      const first = startProcess(stores, service, delayed.log);
      const second = startProcess(stores, service);
      const outcomes = [await outcomeOf(first.users.remove(caller, one, fresh()))];
      await expireLease(stores);
      outcomes.push(await outcomeOf(second.users.remove(caller, other, fresh())));
      await delayed.arrive();
      await untilProjected(stores);
      outcomes.push(await outcomeOf(second.users.remove(caller, one, fresh())));

      const [account] = (await stores.models.accounts.findInAllAccounts([caller.accountId])).documents;
      const users = account === undefined || account.isDeleted === true ? [] : account.users;
      const active = users.filter((user) => user.role === 'owner' && statusOf(user) === 'active');
      expect([outcomes, active.map(({ id }) => id)]).to.deep.equal([
        ['unknown', 'done', 'last_owner'],
        [one],
      ]);
      await expectSameAfterRebuild(stores, 'accounts', 'audit');
    });
  });

  it('make a repeated request take effect once, whichever of its appends arrives last', async () => {
    await service.withStores(async (stores) => {
      const identity = { created: clock(), seed: randomBytes(32) };
      const delayed = delayedLog(stores.log);
      const first = startProcess(stores, service, delayed.log);
      const second = startProcess(stores, service);
      const outcomes = [
        await outcomeOf(
          first.webhooks.create(caller, settings, seededIdentity({ ...identity, isRepeat: false })),
        ),
      ];
      await expireLease(stores);
      const repeat = seededIdentity({ ...identity, isRepeat: true });
      outcomes.push(await outcomeOf(second.webhooks.create(caller, settings, repeat)));
      const [webhook] = await webhooksOf(stores);
      outcomes.push(await outcomeOf(second.webhooks.remove(caller, webhook?._id ?? '', fresh())));
      await delayed.arrive();
      await untilProjected(stores);

      expect([outcomes, (await webhooksOf(stores)).map(({ status }) => status)]).to.deep.equal([
        ['unknown', 'done', 'done'],
        ['deleted'],
      ]);
      await expectSameAfterRebuild(stores, 'webhooks', 'audit');
    });
  });

  it('report no success to a process whose lease was taken over before its append', async () => {
    await service.withStores(async (stores) => {
      const second = startProcess(stores, service);
      const overtaken: LogAppender['appendTogether'] = async (records) => {
        await expireLease(stores);
        expect(await outcomeOf(second.webhooks.create(caller, settings, fresh()))).to.equal('done');
        return stores.log.appendTogether(records);
      };
      const log = { append: stores.log.append, appendTogether: overtaken };
      const outcome = await outcomeOf(
        startProcess(stores, service, log).webhooks.create(caller, settings, fresh()),
      );
      await untilProjected(stores);
      expect([outcome, (await webhooksOf(stores)).length]).to.deep.equal(['unknown', 1]);
    });
  });

  it('leave fences that no list shows and that are erased with their account', async () => {
    await service.withStores(async (stores) => {
      const { log } = delayedLog(stores.log);
      await outcomeOf(startProcess(stores, service, log).webhooks.create(caller, settings, fresh()));
      await expireLease(stores);
      await outcomeOf(startProcess(stores, service).webhooks.create(caller, settings, fresh()));
      await untilProjected(stores);
      const shown = (await stores.models.audit.findAll({})).documents.filter(isFence);
      const erasure = createErasure(stores.mongo.database);
      const stored = () => erasure.count('audit', fencesOf(caller.accountId), 100);
      const before = await stored();
      const filter = auditProjection.accountDocumentsFilter?.(caller.accountId) ?? {};
      await erasure.removePage('audit', filter, 100);

      const { length: partitions } = await stores.offsets.ends('webhooks');
      expect([shown, before, await stored()]).to.deep.equal([[], partitions, 0]);
    });
  });

  it('append only their own records if every lease is released, with a number that rises', async () => {
    await service.withStores(async (stores) => {
      const before = await recordsIn(stores);
      const processes = [startProcess(stores, service), startProcess(stores, service)];
      for (const { webhooks } of [...processes, ...processes]) {
        expect(await outcomeOf(webhooks.create(caller, settings, fresh()))).to.equal('done');
      }
      const [webhook] = await webhooksOf(stores);
      const removed = processes[0]?.webhooks.remove(caller, webhook?._id ?? '', fresh());
      expect(await outcomeOf(removed ?? Promise.resolve({}))).to.equal('done');
      expect((await recordsIn(stores)) - before).to.equal(5);

      const count = (await stores.offsets.ends('webhooks')).reduce((sum, end) => sum + end, 0);
      const topic = fullTopicName(service.config.topics.prefix, 'webhooks');
      const numbers = (await readTopic(stores, topic, count))
        .filter(({ headers }) => String(headers?.['ce_source']).endsWith(caller.accountId))
        .filter(({ headers }) => String(headers?.['ce_type']) !== fenceType)
        .map(({ headers }) => Number(headers?.['ce_fence']));
      expect([numbers.length, new Set(numbers).size, Math.min(...numbers) > 0]).to.deep.equal([5, 5, true]);
    });
  });
});
