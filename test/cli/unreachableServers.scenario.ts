import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';

import { expect } from 'chai';

import { runCommand, runProgram, type ProgramOutcome } from '../support/program.js';
import { isolatedSettings, type Settings } from '../support/settings.js';

/** Commands that use Kafka, with the arguments that they require. */
const commands: readonly (readonly string[])[] = [
  ['migrate'],
  ['lag'],
  ['dlq', 'list'],
  ['dlq', 'show', 'events/0/0'],
  ['dlq', 'redrive', '--all', '--yes'],
  ['account', 'create', '--name', 'A', '--email', 'a@example.com', '--plan', 'free'],
  ['account', 'list'],
  ['account', 'set-plan', 'acc_1', 'free'],
  ['account', 'suspend', 'acc_1'],
  ['account', 'resume', 'acc_1'],
  ['account', 'sign-in-link', 'acc_1', 'a@example.com'],
  ['account', 'delete', 'acc_1', '--yes'],
  ['tenants', 'list', 'acc_1'],
  ['tenants', 'show', 'acc_1', 'customer-42'],
  ['tenants', 'delete', 'acc_1', 'customer-42', '--yes'],
  ['rebuild'],
  ['rebuild', '--check'],
  ['offsets', 'set', '--to-end'],
  ['secrets', 'reencrypt'],
  ['start'],
];

/** No process listens on this port: it is reserved (RFC 863), and a listener needs root. */
const nowhere = '127.0.0.1:9';

/** Less than the ten seconds for which a role tries to connect, and more than one attempt on a loaded machine. */
const limitMs = 8000;

describe('a command whose servers are unreachable', () => {
  let settings: Settings;

  before(async () => {
    settings = await isolatedSettings();
  });

  for (const words of commands) {
    it(`names Kafka, its address and its setting: ${words.join(' ')}`, async () => {
      const startedAt = performance.now();

      const outcome = await runCommand({ ...settings, KAFKA_BROKERS: nowhere }, ...words);

      expect(failure(outcome)).to.deep.equal([
        1,
        `postrider: cannot reach Kafka at ${nowhere} (KAFKA_BROKERS): connection refused\n`,
      ]);
      expect(performance.now() - startedAt).to.be.lessThan(limitMs);
    });
  }

  it('tries each broker before it fails', async () => {
    const brokers = `${nowhere},127.0.0.1:7,${settings['KAFKA_BROKERS'] ?? ''}`;

    const { code } = await runCommand({ ...settings, KAFKA_BROKERS: brokers }, 'migrate', '--dry-run');

    expect(code).to.equal(0);
  });

  it('names all brokers if none can be reached', async () => {
    const outcome = await runCommand({ ...settings, KAFKA_BROKERS: `${nowhere},127.0.0.1:7` }, 'lag');

    expect(failure(outcome)).to.deep.equal([
      1,
      `postrider: cannot reach Kafka at ${nowhere},127.0.0.1:7 (KAFKA_BROKERS): connection refused\n`,
    ]);
  });

  it('names Kafka if a broker accepts the connection and does not answer', async () => {
    const silent = await listen();
    try {
      const broker = `127.0.0.1:${(silent.address() as AddressInfo).port}`;

      const outcome = await runCommand({ ...settings, KAFKA_BROKERS: broker }, 'lag');

      expect(failure(outcome)).to.deep.equal([
        1,
        `postrider: cannot reach Kafka at ${broker} (KAFKA_BROKERS): no response in time\n`,
      ]);
    } finally {
      silent.close();
    }
  });

  for (const words of [['account', 'list'], ['start']] as const) {
    it(`names MongoDB without the password in its address: ${words.join(' ')}`, async () => {
      const url = `mongodb://user:secret@${nowhere}/postrider`;

      const outcome = await runCommand({ ...settings, MONGODB_URL: url }, ...words);

      expect(failure(outcome)).to.deep.equal([
        1,
        `postrider: cannot reach MongoDB at ${nowhere} (MONGODB_URL): connection refused\n`,
      ]);
    });
  }

  it('names Redis without the password in its address: start', async () => {
    const url = `redis://user:secret@${nowhere}/0`;

    const outcome = await runCommand({ ...settings, REDIS_URL: url }, 'start');

    expect(failure(outcome)).to.deep.equal([
      1,
      `postrider: cannot reach Redis at ${nowhere} (REDIS_URL): connection refused\n`,
    ]);
  });

  for (const role of ['api', 'projections', 'delivery']) {
    it(`names the server at the start of a role: ${role}`, async () => {
      const outcome = await runProgram({ ...settings, MONGODB_URL: `mongodb://${nowhere}` }, role);

      expect(failure(outcome)).to.deep.equal([
        1,
        `postrider: cannot reach MongoDB at ${nowhere} (MONGODB_URL): connection refused\n`,
      ]);
    });
  }
});

function failure({ code, stderr }: ProgramOutcome): readonly [number, string] {
  return [code, stderr];
}

/** A server that accepts connections and never answers. */
async function listen(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
