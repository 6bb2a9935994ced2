import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

import { expect } from 'chai';
import getPort from 'get-port';

import { secretBytes, signatureHeaders } from '../../shared/domain/webhooks/signature.js';
import { codeBelow } from '../docs/receivingPage.js';
import { eventually } from '../support/eventually.js';
import { closeAtEndOfFile } from '../support/fileResources.js';

/** The frameworks, and the projects of the samples. `.ci/verify` has installed them in this folder. */
const folder = resolve('node_modules/.cache/receivers');

const run = promisify(execFile);

type CommandLine = readonly [program: string, ...programArguments: string[]];

interface Framework {
  /** The folder of its project, in which the commands run. */
  readonly project: string;
  /** The file of the sample, and the file of the function that it calls. */
  readonly file: string;
  readonly functionFile: string;
  /** The heading of the function in the page. */
  readonly language: string;
  readonly build?: CommandLine;
  readonly start: (port: string) => CommandLine;
}

const typescript = (name: string): Framework => ({
  project: 'typescript',
  file: `source/${name}.ts`,
  functionFile: 'source/deliveries.ts',
  language: 'TypeScript',
  build: ['node_modules/.bin/tsc'],
  start: () => [process.execPath, `compiled/${name}.js`],
});

const frameworks: Readonly<Record<string, Framework>> = {
  Express: typescript('expressReceiver'),
  Fastify: typescript('fastifyReceiver'),
  FastAPI: {
    project: 'python',
    file: 'withFastAPI/receiver.py',
    functionFile: 'withFastAPI/deliveries.py',
    language: 'Python',
    start: (port) => ['environment/bin/uvicorn', 'receiver:app', '--app-dir', 'withFastAPI', '--port', port],
  },
  Flask: {
    project: 'python',
    file: 'withFlask/receiver.py',
    functionFile: 'withFlask/deliveries.py',
    language: 'Python',
    start: (port) => ['environment/bin/flask', '--app', 'withFlask/receiver', 'run', '--port', port],
  },
  'net/http': {
    project: 'go',
    file: 'main.go',
    functionFile: 'deliveries.go',
    language: 'Go',
    build: ['go', 'build', '-o', 'receiver', '.'],
    start: () => ['./receiver'],
  },
  Spring: {
    project: 'java',
    file: 'src/main/java/receiver/WebhookController.java',
    functionFile: 'src/main/java/receiver/Deliveries.java',
    language: 'Java',
    build: ['mvn', '--quiet', '--batch-mode', 'compile'],
    start: (port) => [
      'java',
      ...['-classpath', 'target/classes:target/libraries/*', 'receiver.Application'],
      `--server.port=${port}`,
    ],
  },
};

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const [secret, otherSecret] = [secretOf(1), secretOf(2)];

async function writeIn(project: string, file: string, text: string): Promise<void> {
  const path = `${folder}/${project}/${file}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Starts the sample of a framework on a free port, and waits until it listens. */
async function startSample(name: string, framework: Framework) {
  const { project, file, functionFile, language, build, start } = framework;
  const port = await getPort({ host: '127.0.0.1' });
  const inPackage = language === 'Java' ? 'package receiver;\n\n' : '';
  await writeIn(project, file, (await codeBelow(name)).replaceAll('4000', String(port)));
  await writeIn(project, functionFile, inPackage + (await codeBelow(language)));
  const cwd = `${folder}/${project}`;
  if (build !== undefined) {
    const [program, ...programArguments] = build;
    await run(program, programArguments, { cwd });
  }
  const [program, ...programArguments] = start(String(port));
  const env = { ...process.env, WEBHOOK_SECRET: secret, PYTHONUNBUFFERED: '1' };
  const receiver = spawn(program, programArguments, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  closeAtEndOfFile(() => receiver.kill('SIGKILL'));
  let printed = '';
  for (const stream of [receiver.stdout, receiver.stderr]) {
    stream.on('data', (text: Buffer) => (printed += text.toString()));
  }
  await eventually(`${name} on port ${port}`, async () => {
    if (receiver.exitCode !== null) {
      throw new Error(printed);
    }
    return (await listens(port)) ? true : null;
  });
  return { port, printed: () => printed };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

interface Delivery {
  readonly body?: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const event = Buffer.from(
  '{"id":"evt_1","type":"order.completed","timestamp":"2026-11-21T06:46:41.388Z",' +
    '"data":{"note":"é",\r\n "amount" : 12345678901234567890}}',
);
const large = Buffer.from(
  JSON.stringify({ id: 'evt_1', type: 'order.completed', data: { text: 'x'.repeat(262_000) } }),
);

function signed(secrets: readonly string[], { body = event, ageSeconds = 0 } = {}): Delivery {
  const timestampSeconds = Math.floor(Date.now() / 1000) - ageSeconds;
  const keys = secrets.map(secretBytes);
  return { body, headers: signatureHeaders({ id: 'evt_1', timestampSeconds, body, secrets: keys }) };
}

const inCapitals = ({ headers, ...others }: Delivery): Delivery => ({
  ...others,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
});

/** What a receiver must accept and reject. */
const deliveries: Readonly<Record<string, { readonly status: number; readonly delivery: () => Delivery }>> = {
  'a delivery': { status: 204, delivery: () => signed([secret]) },
  'one whose headers a proxy has capitalized': { status: 204, delivery: () => inCapitals(signed([secret])) },
  'one of the largest size': { status: 204, delivery: () => signed([secret], { body: large }) },
  'one during a rotation, with the later secret': {
    status: 204,
    delivery: () => signed([otherSecret, secret]),
  },
  'one during a rotation, with the earlier secret': {
    status: 204,
    delivery: () => signed([secret, otherSecret]),
  },
  'one that was sent four minutes ago': {
    status: 204,
    delivery: () => signed([secret], { ageSeconds: 240 }),
  },
  'one with another body': {
    status: 400,
    delivery: () => ({ ...signed([secret]), body: Buffer.concat([event, Buffer.from(' ')]) }),
  },
  'one with another id': {
    status: 400,
    delivery: () => ({ headers: { ...signed([secret]).headers, 'webhook-id': 'evt_2' } }),
  },
  'one with the signature of another secret': { status: 400, delivery: () => signed([otherSecret]) },
  'a stale one': { status: 400, delivery: () => signed([secret], { ageSeconds: 310 }) },
  'one from the future': { status: 400, delivery: () => signed([secret], { ageSeconds: -310 }) },
  'one without a signature': { status: 400, delivery: () => ({ headers: {} }) },
};

async function statusOf(port: number, { body = event, headers }: Delivery): Promise<number | undefined> {
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/webhooks',
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
  });
  const answered = once(sent.end(body), 'response') as Promise<[IncomingMessage]>;
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

describe('the samples in docs/receiving.md', () => {
  for (const [name, framework] of Object.entries(frameworks)) {
    it(`accept deliveries, and nothing else: ${name}`, async () => {
      const { port, printed } = await startSample(name, framework);
      const found: Record<string, number | undefined> = {};
      for (const [which, { delivery }] of Object.entries(deliveries)) {
        found[which] = await statusOf(port, delivery());
      }
      const expected = Object.entries(deliveries).map(([which, { status }]) => [which, status] as const);
      expect(found, printed()).to.deep.equal(Object.fromEntries(expected));
      await eventually('the printed event', () => (printed().includes('order.completed') ? true : null));
    });
  }

  it('have the effect of a repeated event once: the function for repetitions', async () => {
    const project = `${folder}/python`;
    await rm(`${project}/repetitions.py`, { force: true });
    const question = `
database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE received (id TEXT PRIMARY KEY)")
database.execute("CREATE TABLE orders (id TEXT, status TEXT)")
database.execute("CREATE TABLE effects (id TEXT)")
database.execute("CREATE TRIGGER noted AFTER UPDATE ON orders BEGIN INSERT INTO effects VALUES (NEW.id); END")
database.execute("INSERT INTO orders VALUES ('ord_1', 'open')")
database.commit()
event = {"data": {"orderId": "ord_1"}}
try:
    handle(database, "evt_1", {"data": {}})
except KeyError:
    pass  # the transaction is rolled back, so the next attempt counts
for webhook_id in ["evt_1", "evt_1", "evt_2"]:
    handle(database, webhook_id, event)
print(database.execute("SELECT count(*) FROM effects").fetchone()[0])`;
    await writeIn('python', 'repetitions.py', (await codeBelow('Recognize repetitions')) + question);
    const { stdout } = await run('environment/bin/python', ['repetitions.py'], { cwd: project });
    expect(stdout.trim()).to.equal('2');
  });
});
