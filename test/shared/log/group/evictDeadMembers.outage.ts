import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import { eventually } from '../../../support/eventually.js';
import { openTestLog, plainRecord, type TestLog } from '../../../support/log.js';
import { forkConsumer, type ConsumerProcess } from './consumerProcess.js';
import { readJournal } from './journal.js';
import { groupOf } from './member.js';

const sessionTimeoutMs = 40_000;
/** Below the 15 s for which the broker waits at a rebalance for a member that does not return, whatever its session. */
const deadlineMs = 12_000;

describe('a group member whose process was killed', () => {
  let directory: string;
  let log: TestLog;
  let consumers: ConsumerProcess[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-journals-'));
    log = await openTestLog();
    consumers = [];
  });

  afterEach(async () => {
    await Promise.all(consumers.map((consumer) => consumer.kill()));
    await log.close();
    await rm(directory, { recursive: true, force: true });
  });

  const members = async () => {
    const { groups } = await log.admin.describeGroups([groupOf(log)]);
    const [group] = groups;
    return group?.state === 'Stable' ? group.members.map(({ memberId }) => memberId) : [];
  };

  /** Resolves with a new process once it has handled some records. */
  async function startWorking(name: string): Promise<ConsumerProcess> {
    const journal = join(directory, name);
    const consumer = await forkConsumer();
    consumers.push(consumer);
    consumer.start({ config: log.config, journal, seed: 1, group: { sessionTimeoutMs } });
    await eventually(
      `work of the ${name}`,
      async () => {
        await log.producer.append(plainRecord('events', name));
        return (await readJournal(journal)).done.size > 0 ? true : null;
      },
      deadlineMs,
    );
    return consumer;
  }

  it('delays no later process on the same machine', async () => {
    const first = await startWorking('first process');
    await first.kill();
    await startWorking('second process');
    expect(await members()).to.have.length(1);
  });

  it('is distinguished from a member whose process runs', async () => {
    await startWorking('first process');
    const [member] = await members();
    const second = await forkConsumer();
    consumers.push(second);
    second.start({
      config: log.config,
      journal: join(directory, 'second'),
      seed: 1,
      group: { sessionTimeoutMs },
    });
    // The first member is notified of the second one by a heartbeat, within a quarter of its session.
    const both = await eventually('both members', async () => {
      const present = await members();
      return present.length === 2 ? present : null;
    });
    expect(both).to.include(member);
  });
});
