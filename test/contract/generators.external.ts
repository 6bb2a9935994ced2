import { execFile } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

import { expect } from 'chai';
import { z } from 'zod';

import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';
import { excludedOperations, programFolder } from './generatedPrograms.js';

/** The clients that generators create from the OpenAPI document. `.ci/verify` has installed the generators in this folder. */
const folder = resolve('node_modules/.cache/generators');

/** The data of an event, whose numbers have more digits than a number of JavaScript. */
const digits = '{"integer":12345678901234567890,"decimal":0.10000000000000000555}';

interface Generator {
  readonly language: string;
  /** The folders that the commands create. */
  readonly outputs: readonly string[];
  /** The commands that generate and compile the client and its program. */
  readonly commands: readonly (readonly [program: string, ...programArguments: string[]])[];
  readonly program: readonly [program: string, ...programArguments: string[]];
  /** `digits`, after the program has read and posted it. */
  readonly copiedDigits: string;
}

const generators: readonly Generator[] = [
  {
    language: 'typescript',
    outputs: ['client', 'compiled'],
    commands: [
      ['node_modules/.bin/openapi-ts', '--input', '../openapi.json', '--output', 'client'],
      ['node_modules/.bin/tsc'],
    ],
    program: [process.execPath, 'compiled/program.js'],
    copiedDigits: '{"integer":12345678901234567000,"decimal":0.1}',
  },
  {
    language: 'python',
    outputs: ['postrider'],
    commands: [
      [
        'environment/bin/openapi-python-client',
        'generate',
        ...[
          '--path',
          '../openapi.json',
          '--config',
          'config.yaml',
          '--output-path',
          'postrider',
          '--meta',
          'none',
        ],
      ],
      ['environment/bin/mypy', '--strict', 'program.py'],
    ],
    program: ['environment/bin/python', 'program.py'],
    copiedDigits: '{"integer":12345678901234567890,"decimal":0.1}',
  },
  {
    language: 'java',
    outputs: ['target'],
    commands: [['mvn', '--quiet', '--batch-mode', 'compile']],
    program: ['java', '-classpath', 'target/classes:target/libraries/*', 'Program'],
    copiedDigits: digits,
  },
  {
    language: 'go',
    outputs: ['postrider'],
    commands: [
      ['mkdir', 'postrider'],
      ['go', 'tool', 'oapi-codegen', '-config', 'config.yaml', '../openapi.json'],
      ['go', 'build', '-o', 'program', '.'],
    ],
    program: ['./program'],
    copiedDigits: digits,
  },
];

const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        security: z.array(z.record(z.string(), z.unknown())),
        responses: z.record(z.string(), z.unknown()),
      }),
    ),
  ),
});

describe('clients that are generated from the OpenAPI document', () => {
  let service: TestService;
  let receiver: Receiver;
  /** Each operation with an API key and its successful statuses, such as `createEvent 201`. */
  let described: ReadonlyMap<string, readonly string[]>;
  before(async () => {
    service = await startService();
    receiver = await startReceiver();
    cpSync(programFolder, folder, { recursive: true });
    const document = await (await fetch(`${service.address}/openapi.json`)).text();
    writeFileSync(`${folder}/openapi.json`, document);
    described = callsOf(documentSchema.parse(JSON.parse(document)));
  });

  for (const { language, outputs, commands, program, copiedDigits } of generators) {
    describe(`in ${language}`, () => {
      const run = ([file, ...programArguments]: Generator['program'], env = {}) =>
        promisify(execFile)(file, programArguments, {
          cwd: `${folder}/${language}`,
          env: { ...process.env, ...env },
        });
      let client: Client;
      let called: readonly string[];
      let copyId: string;

      before(async () => {
        for (const output of outputs) {
          rmSync(`${folder}/${language}/${output}`, { recursive: true, force: true });
        }
        for (const command of commands) {
          await run(command);
        }
        const { liveKey } = await service.createAccount();
        client = createClient(service.address, liveKey);
        const { stdout } = await run(program, {
          POSTRIDER_URL: service.address,
          POSTRIDER_API_KEY: liveKey,
          POSTRIDER_WEBHOOK_URL: receiver.url,
          POSTRIDER_EVENT_ID: await deliveredEvent(client, receiver),
        });
        const lines = stdout.trim().split('\n');
        called = lines.slice(0, -1);
        copyId = lines.at(-1) ?? '';
      });

      it('call each operation that takes an API key', () => {
        const ids = called.map((line) => line.split(' ')[0]);
        expect(ids.toSorted()).to.deep.equal([...described.keys()].sort());
      });

      it('get a successful response', () => {
        const others = called.filter((line) => {
          const [operation = '', status = ''] = line.split(' ');
          return described.get(operation)?.includes(status) !== true;
        });
        expect(others).to.deep.equal([]);
      });

      it('keep the digits of numbers, as far as the language can', async () => {
        const { text } = await client.get(`/v1/events/${copyId}`);
        expect(text).to.contain(`"data":${copiedDigits},`);
      });
    });
  }
});

function callsOf({ paths }: z.output<typeof documentSchema>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.values(paths)
      .flatMap((item) => Object.values(item))
      .filter(({ security }) => security.some((requirement) => 'apiKey' in requirement))
      .filter(({ operationId }) => excludedOperations[operationId] === undefined)
      .map(({ operationId, responses }) => [
        operationId,
        Object.keys(responses).filter((status) => status.startsWith('2')),
      ]),
  );
}

/** Posts an event that is delivered to a webhook. A resend needs a delivery. */
async function deliveredEvent(client: Client, { url }: Receiver): Promise<string> {
  await client.post('/v1/webhooks', { url, events: ['order.*'] });
  const { body } = await client.post('/v1/events', `{"type":"order.completed","data":${digits}}`);
  const id = String(body['id']);
  await eventually('the delivery of the event', async () =>
    (await client.get(`/v1/events/${id}`)).text.includes('"delivered"') ? true : null,
  );
  return id;
}
