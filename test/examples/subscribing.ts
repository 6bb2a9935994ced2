import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';
import type { Kafka } from 'kafkajs';

import { createKafkaClient } from '../../shared/log/client/client.js';
import { createLogger } from '../../shared/core/logger.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { startService, type TestService } from '../support/service.js';

/** A program that appends every event to the file that is its last argument. */
export interface SubscriberProgram {
  readonly program: string;
  readonly arguments: readonly string[];
}

type Line = Readonly<Record<string, unknown>>;

const waitMs = 40_000;
const postedFirst = 200;
const postedLater = 20;
const groupId = 'reader';

/** The tests of a subscriber in any language, with a running service. */
export function testSubscriber(
  name: string,
  { program, arguments: programArguments }: SubscriberProgram,
): void {
  describe(name, () => {
    let service: TestService;
    let kafka: Kafka;
    let client: Client;
    let file: string;
    const posted: string[] = [];

    const start = (): ChildProcess => {
      const { brokers } = service.config.kafka;
      const child = spawn(program, [...programArguments, file], {
        env: {
          ...process.env,
          KAFKA_BROKERS: brokers.join(),
          TOPIC: `${service.config.topics.prefix}events`,
          GROUP_ID: groupId,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      closeAtEndOfFile(() => end(child, 'SIGKILL'));
      return child;
    };

    const post = async (count: number) => {
      const first = posted.length;
      const answers = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          client.post('/v1/events', { type: 'order.completed', data: { n: first + index } }),
        ),
      );
      posted.push(...answers.map(({ body }) => String(body['id'])));
    };

    const untilLines = (count: number) =>
      eventually(`${count} lines`, () => (linesOf(file).length >= count ? true : null), waitMs);

    /** Appends a record that the service rejects, and an event that the program has already received. */
    const disturb = async () => {
      const producer = kafka.producer();
      await producer.connect();
      const headers = {
        ce_specversion: '1.0',
        ce_id: String(linesOf(file)[0]?.['id']),
        ce_source: '/accounts/acct_01ARZ3NDEKTSV4RRFFQ69G5FAV',
        ce_type: 'order.changed',
        ce_time: new Date().toISOString(),
        'content-type': 'application/json',
      };
      await producer.send({
        topic: `${service.config.topics.prefix}events`,
        messages: [
          { key: 'nobody', value: 'no event', partition: 0 },
          { key: headers.ce_id, value: '{}', headers, partition: 1 },
        ],
      });
      await producer.disconnect();
    };

    before(async () => {
      const directory = await mkdtemp(join(tmpdir(), 'postrider-subscriber-'));
      closeAtEndOfFile(() => rm(directory, { recursive: true, force: true }));
      file = join(directory, 'events.jsonl');
      service = await startService();
      const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
      kafka = createKafkaClient(service.config.kafka, { clientId: 'test', logger });
      const account = await service.createAccount();
      client = createClient(service.address, account.liveKey);
      await post(postedFirst);
      const killed = start();
      await untilLines(1);
      await end(killed, 'SIGKILL');
      // A crash of the machine can leave an incomplete line.
      appendFileSync(file, '{"id":"evt_');
      await disturb();
      await post(postedLater);
      const again = start();
      await untilLines(posted.length);
      await post(1);
      await untilLines(posted.length);
      await end(again, 'SIGTERM');
    });

    it('writes each event once, although it was killed and events were repeated', () => {
      const ids = linesOf(file).map(({ id }) => id);
      expect(ids.toSorted()).to.deep.equal(posted.toSorted());
    });

    it('writes the data of each event', () => {
      const wrong = linesOf(file).filter(
        ({ id, data }) => (data as Line)['n'] !== posted.indexOf(String(id)),
      );
      expect(wrong).to.deep.equal([]);
    });

    it('writes the attributes and extensions of CloudEvents', () => {
      const [line] = linesOf(file);
      expect(line).to.include({
        specversion: '1.0',
        type: 'order.completed',
        mode: 'live',
        datacontenttype: 'application/json',
        partitionkey: line?.['id'],
      });
    });

    it('commits the offsets of all events that it has written, and leaves its group', async () => {
      const admin = kafka.admin();
      await admin.connect();
      closeAtEndOfFile(() => admin.disconnect());
      const topic = `${service.config.topics.prefix}events`;
      const ends = await admin.fetchTopicOffsets(topic);
      const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
      const { groups } = await admin.describeGroups([groupId]);

      expect([
        (committed?.partitions ?? []).map(({ offset }) => offset).toSorted(),
        groups.map(({ state }) => state),
      ]).to.deep.equal([ends.map(({ high }) => high).toSorted(), ['Empty']]);
    });
  });
}

function linesOf(file: string): readonly Line[] {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // The last line may be incomplete.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
