import { expect } from 'chai';

import type { Stores } from '../../cli/stores.js';
import type { ModelName } from '../../shared/mongo/readModels.js';
import { deliveryRecords } from '../../shared/topics/deliveries.js';
import type { TopicName } from '../../shared/topics/names.js';
import { appendBacklog, appendInPortions } from '../support/backlog.js';
import { succeeded } from '../support/deliveryFacts.js';
import { eventually } from '../support/eventually.js';
import { testIdentifier, testRecordId } from '../support/facts.js';
import { createOpened } from '../support/opened.js';
import { startService } from '../support/service.js';

const outcomes = 4000;

/** How many records of a topic a model has read. */
async function readBy(
  { models }: Pick<Stores, 'models'>,
  model: ModelName,
  topic: TopicName,
): Promise<number> {
  const { positions } = await models[model].meta();
  return Object.values(positions[topic] ?? {}).reduce((sum, offset) => sum + offset, 0);
}

describe('the role that folds', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  const held: readonly (readonly [ModelName, TopicName])[] = [
    ['events', 'events'],
    ['attempts', 'deliveries'],
    ['stats', 'deliveries'],
  ];
  for (const [model, topic] of held) {
    it(`begins with ${topic} in the model ${model} once the model of events has the outcomes that the log held`, async () => {
      const service = await startService({}, ['projections']);
      opened.add('service', service.stop);
      await service.withStores(async (stores) => {
        await eventually('the model to be there', () => readBy(stores, model, topic));
        await service.stopRole('projections');
        const ids = await appendBacklog(stores.log, testIdentifier('acct'), outcomes);
        await appendInPortions(stores.log, outcomes, (index) => {
          const fact = succeeded({ attemptId: testIdentifier('att', index) });
          const context = { ...fact.context, key: ids[index] ?? '', id: testRecordId(index) };
          return deliveryRecords.encode(fact, context);
        });

        const starting = service.startRole('projections');
        await eventually('the model to be folded', async () =>
          (await readBy(stores, model, topic)) > 0 ? true : null,
        );
        expect(await readBy(stores, 'events', 'deliveries')).to.equal(outcomes);
        await starting;
      });
    });
  }
});
