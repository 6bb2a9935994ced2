import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import type { DeadLetterList, ListedDeadLetter } from '../../../cli/deadLetters/list.js';
import type { ShownDeadLetter } from '../../../cli/deadLetters/show.js';
import { createDeadLetters } from '../../../shared/log/deadLetters/deadLetters.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { openTestLog, type TestLog } from '../../support/log.js';
import { runCommand } from '../../support/program.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { rawRecord } from '../../support/records.js';
import { sharedService, type SharedService } from '../../support/service.js';

const { create, createRecordId } = createIdentifiers(Math.random);

describe('postrider dlq', () => {
  let service: SharedService;
  let log: TestLog;
  let client: Client;
  let accountId: string;

  before(async () => {
    service = await sharedService();
    log = await openTestLog({ POSTRIDER_TOPIC_PREFIX: service.config.topics.prefix });
    const account = await service.createAccount();
    accountId = account.id;
    client = createClient(service.address, account.liveKey);
  });

  const dlq = (...programArguments: readonly string[]) =>
    runCommand(service.settings, 'dlq', ...programArguments);

  const list = async (...filters: readonly string[]): Promise<DeadLetterList> =>
    JSON.parse((await dlq('list', '--json', ...filters)).stdout) as DeadLetterList;

  /** Waits until this number of groups has rejected a record with this text in the reason. */
  const listed = (reason: string, groups: number): Promise<ListedDeadLetter> =>
    eventually(`the rejection by ${groups} groups`, async () => {
      const [letter] = (await list('--reason', reason)).data;
      return letter?.groups.length === groups ? letter : null;
    });

  /** A record of an unknown type. Only the reason of its dead letter contains that type. */
  const unreadable = (): { readonly type: string; readonly record: OutgoingRecord } => {
    const type = `postrider.delivery.x${randomBytes(6).toString('hex')}`;
    const key = create('evt', new Date());
    const { headers } = encodeEvent({ ...anyEvent(key), type });
    return { type, record: { topic: 'deliveries', key, value: Buffer.from('{"é":1}'), headers } };
  };

  const anyEvent = (id: string) => ({
    ...{ id, accountId, type: 'order.late', created: new Date(), onlyWebhookId: null, tenantId: null },
    mode: 'live' as const,
    data: Buffer.from('{"n":9007199254740993, "a":1.10}'),
  });

  describe('with a record that several groups have rejected', () => {
    let type: string;
    let record: OutgoingRecord;
    let letter: ListedDeadLetter;

    before(async () => {
      ({ type, record } = unreadable());
      const { partition, offset } = await log.producer.append(record);
      letter = await listed(type, 3);
      expect(letter.position).to.equal(`deliveries/${partition}/${offset}`);
    });

    it('list shows the record once, with its groups', () => {
      const { prefix } = service.config.topics;
      const models = letter.groups.map((group) => group.slice(prefix.length).split('.')[0]);
      expect(models.sort()).to.deep.equal(['attempts', 'events', 'stats']);
    });

    it('list prints a line with position, groups and reason', async () => {
      const { stdout } = await dlq('list', '--reason', type);
      const [, line = ''] = stdout.split('\n');
      expect(line.split(/ {2,}/)).to.include.members([
        letter.position,
        `the topic has no record type ${type}`,
      ]);
    });

    it('list omits a record that does not match a filter', async () => {
      const [ofGroup, ofOthers, before, later] = await Promise.all([
        list('--reason', type, '--topic', 'deliveries', '--group', letter.groups[1] ?? ''),
        list('--reason', type, '--topic', 'events'),
        list('--reason', type, '--until', letter.firstRefusedAt),
        list('--reason', type, '--since', '1h'),
      ]);
      expect([ofGroup, ofOthers, before, later].map(({ total }) => total)).to.deep.equal([1, 0, 0, 1]);
    });

    it('show prints the reason, the headers and the value', async () => {
      const { code, stdout } = await dlq('show', letter.position);
      expect([code, stdout]).to.satisfy(
        ([, text]: [number, string]) =>
          code === 0 &&
          text.includes(`Header    ce_type: ${type}`) &&
          text.includes('Value     {"é":1}') &&
          text.includes('the topic has no record type'),
      );
    });

    it('show --json contains the key, the value and all headers', async () => {
      const shown = JSON.parse((await dlq('show', letter.position, '--json')).stdout) as ShownDeadLetter;
      const headers = shown.headers.map(({ name, value }) => [name, value.text]);
      expect([shown.key?.text, shown.value?.text, Object.fromEntries(headers)]).to.deep.equal([
        record.key,
        '{"é":1}',
        record.headers,
      ]);
    });

    describe('after a redrive that fails again', () => {
      let outcome: string;
      let again: ListedDeadLetter;

      before(async () => {
        outcome = (await dlq('redrive', letter.position, '--yes')).stdout;
        again = await listed(type, 3);
      });

      it('appends the record once', () => {
        expect(outcome).to.equal('Redriven: 1 record.\n');
      });

      it('lists only the new position, with the earlier one', async () => {
        const { data, total } = await list('--reason', type);
        expect([total, data[0]?.redrivenFrom, again.position === letter.position]).to.deep.equal([
          1,
          [letter.position],
          false,
        ]);
      });

      it('rejects another redrive of the earlier position', async () => {
        const { code, stderr } = await dlq('redrive', letter.position, '--yes');
        expect([code, stderr]).to.deep.equal([
          1,
          `postrider: ${letter.position} is not a dead letter, or was already redriven. \`postrider dlq show ${letter.position}\` shows its state.\n`,
        ]);
      });

      it('shows the earlier position as redriven', async () => {
        const { stdout } = await dlq('show', letter.position);
        expect(stdout).to.include(`${letter.position} (redriven)`);
      });
    });
  });

  describe('with an event that this version can read', () => {
    let receiver: Receiver;
    let id: string;

    before(async () => {
      receiver = await startReceiver();
      await client.post('/v1/webhooks', { url: receiver.url, events: ['order.late'] });
      id = create('evt', new Date());
      await setAside(encodeEvent(anyEvent(id)), `an older version did not know it ${id}`);
      await dlq('redrive', '--reason', id, '--yes');
    });

    it('redrive delivers the event with its original bytes', async () => {
      const [request] = await receiver.received(1, 20_000);
      expect([
        request?.headers['webhook-id'],
        request?.body.toString().includes('{"n":9007199254740993, "a":1.10}'),
      ]).to.deep.equal([id, true]);
    });

    it('list no longer shows the event', async () => {
      expect((await list('--reason', id)).total).to.equal(0);
    });
  });

  /** Appends a dead letter, as a group does that cannot read a record. */
  const setAside = async (record: OutgoingRecord, reason: string) => {
    const producer = log.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const { prefix } = service.config.topics;
    const deadLetters = createDeadLetters({
      ...{ producer, prefix, group: `${prefix}old`, clock: () => new Date() },
      ...{ logger: log.logger, metrics: createMetrics() },
    });
    await deadLetters.append(
      rawRecord(record, { offset: 1_000_000_000 + Math.floor(Math.random() * 1e9) }),
      reason,
    );
    await producer.disconnect();
  };

  it('redrive requires confirmation, and appends nothing in a non-interactive shell', async () => {
    const reason = createRecordId(new Date());
    await setAside(encodeEvent(anyEvent(create('evt', new Date()))), reason);
    const { code, stderr } = await dlq('redrive', '--reason', reason);
    expect([code, stderr, (await list('--reason', reason)).total]).to.deep.equal([
      1,
      'postrider: The command requires confirmation before redriving 1 record. In a non-interactive shell, pass --yes.\n',
      1,
    ]);
  });

  it('show fails with exit code 1 and one line for an unknown record', async () => {
    expect(await dlq('show', 'webhooks/0/999999')).to.deep.equal({
      code: 1,
      stdout: '',
      stderr:
        'postrider: Dead letter webhooks/0/999999 does not exist. `postrider dlq list` lists all dead letters.\n',
    });
  });

  const wrongUses: readonly (readonly string[])[] = [
    ['list', '--topic', 'orders'],
    ['list', '--since', 'yesterday'],
    ['list', '--limit', '0'],
    ['show'],
    ['show', '12'],
    ['redrive'],
    ['redrive', '--all', '--topic', 'events'],
    ['redrive', 'events/0/1', '--all'],
  ];
  it('fails with exit code 2 for invalid arguments', async () => {
    const outcomes = await Promise.all(wrongUses.map((wrong) => dlq(...wrong)));
    expect(outcomes.map(({ code, stderr }) => [code, stderr.slice(0, 7)])).to.deep.equal(
      wrongUses.map(() => [2, 'error: ']),
    );
  });
});
