import { expect } from 'chai';

import type { Stores } from '../../cli/environment/stores.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import { placementOf } from '../../shared/log/topics/partition.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import { appendBacklog, appendInPortions } from '../support/backlog.js';
import { succeeded } from '../support/deliveryFacts.js';
import { eventually } from '../support/eventually.js';
import { testIdentifier, testRecordId } from '../support/facts.js';
import { createOpened } from '../support/opened.js';
import { startService } from '../support/service.js';

const outcomes = 2000;
/** The deadline for the fold of all outcomes on a busy machine, in milliseconds. */
const foldedMs = 60_000;

/** The number of records of a topic that a model has read. */
async function readBy(
  { models }: Pick<Stores, 'models'>,
  model: ModelName,
  topic: TopicName,
): Promise<number> {
  const { positions } = await models[model].meta();
  return Object.values(positions[topic] ?? {}).reduce((sum, offset) => sum + offset, 0);
}

describe('The projections role at startup', function () {
  this.timeout(foldedMs + 120_000);
  const held: readonly (readonly [ModelName, TopicName])[] = [
    ['events', 'events'],
    ['attempts', 'deliveries'],
    ['stats', 'deliveries'],
  ];
  const opened = createOpened();
  let outcomesWhenSeen: readonly number[];

  before(async () => {
    const service = await startService({}, ['projections']);
    opened.add('service', service.stop);
    outcomesWhenSeen = await service.withStores(async (stores) => {
      // An incomplete model of events would release the other topics at once.
      await eventually('complete models', async () => {
        const metas = await Promise.all(held.map(([model]) => stores.models[model].meta()));
        return metas.every(({ complete }) => complete) ? true : null;
      });
      await service.stopRole('projections');
      await appendEventsWithOutcomes(stores, service.config.topics.partitions);
      const starting = service.startRole('projections');
      const seen = await Promise.all(held.map((one) => outcomesOnceFolded(stores, ...one)));
      await starting;
      return seen;
    });
  });

  after(opened.releaseAll);

  for (const [index, [model, topic]] of held.entries()) {
    it(`begins with ${topic} in the model ${model} once the model of events has the outcomes that the log held`, () => {
      expect(outcomesWhenSeen[index]).to.equal(outcomes);
    });
  }
});

async function appendEventsWithOutcomes({ log }: Pick<Stores, 'log'>, partitions: number): Promise<void> {
  const ids = await appendBacklog(log, testIdentifier('acct'), outcomes);
  await appendInPortions(log, outcomes, (index) => {
    const fact = succeeded({ attemptId: testIdentifier('att', index) });
    const context = { ...fact.context, key: ids[index] ?? '', id: testRecordId(index) };
    return deliveryRecords.encode(fact, context, placementOf({ id: context.key }, partitions));
  });
}

/** The number of outcomes that the model of events has read when a fold of another topic or model is first seen. */
async function outcomesOnceFolded(stores: Stores, model: ModelName, topic: TopicName): Promise<number> {
  await eventually(
    `${topic} to be folded into ${model}`,
    async () => ((await readBy(stores, model, topic)) > 0 ? true : null),
    foldedMs,
  );
  return readBy(stores, 'events', 'deliveries');
}
