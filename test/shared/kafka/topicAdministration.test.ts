import { expect } from 'chai';

import { ensureTopics } from '../../../shared/kafka/topicAdministration.js';
import { topicDefinitions } from '../../../shared/topics/names.js';
import { openTestLog, type TestLog } from '../../support/log.js';

describe('topic administration', () => {
  let log: TestLog;

  beforeEach(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: '3' });
  });

  afterEach(() => log.close());

  it('creates nothing where all topics are there', async () => {
    expect(await ensureTopics(log.admin, topicDefinitions(log.config.topics))).to.deep.equal([]);
  });

  it('creates the one that is missing', async () => {
    const definitions = topicDefinitions(log.config.topics);
    const extra = { ...definitions[0], topic: `${log.config.topics.prefix}extra` };
    const created = await ensureTopics(log.admin, [...definitions, extra as (typeof definitions)[number]]);
    expect(created).to.deep.equal([extra.topic]);
  });

  it('refuses another number of partitions, and says which there are', async () => {
    const changed = topicDefinitions({ ...log.config.topics, partitions: 6 });
    const message = await ensureTopics(log.admin, changed).then(
      () => '',
      (error: unknown) => (error as Error).message,
    );
    expect(message).to.equal(
      `The topic ${log.config.topics.prefix}events has 3 partitions, POSTRIDER_PARTITIONS says 6. ` +
        'It is set once and never changed: set it to 3.',
    );
  });
});
