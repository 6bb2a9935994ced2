import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

import { expect } from 'chai';
import getPort from 'get-port';

import { signWebhook } from '../../../clients/typescript/src/index.js';
import { eventually } from '../../support/eventually.js';

/** An empty project with the frameworks and the packed library. `.ci/verify` has installed them in this folder. */
const project = resolve('node_modules/.cache/clients/readme');
const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

const run = promisify(execFile);
type Send = (body: string, headers: Record<string, string>) => Promise<number>;

/** The samples below each heading of the README, in their order. */
async function samples(): Promise<readonly { readonly heading: string; readonly code: string }[]> {
  const readme = await readFile('clients/typescript/README.md', 'utf8');
  return readme.split(/^#+ /m).flatMap((section) =>
    [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => ({
      heading: section.slice(0, section.indexOf('\n')),
      code,
    })),
  );
}

/** Compiles all samples, with another port, and returns the compiled file of the one below a heading. */
async function compile(port: number): Promise<(heading: string) => string> {
  const all = await samples();
  await mkdir(`${project}/source`, { recursive: true });
  await Promise.all(
    all.map(({ code }, index) =>
      writeFile(`${project}/source/sample${index}.ts`, code.replaceAll('4000', String(port))),
    ),
  );
  await run('node_modules/.bin/tsc', [], { cwd: project });
  return (heading) => {
    const index = all.findIndex((sample) => sample.heading.startsWith(heading));
    return `${project}/compiled/sample${index}.js`;
  };
}

/** Lets the sample of a server run for some work. */
async function withServer(file: string, port: number, work: (send: Send) => Promise<void>): Promise<void> {
  const env = { ...process.env, WEBHOOK_SECRET: secret };
  const receiver = spawn(process.execPath, [file], {
    cwd: project,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const send: Send = async (body, headers) => {
    const request = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    return (await fetch(`http://127.0.0.1:${port}/webhooks`, request)).status;
  };
  try {
    await eventually(`the server of ${file}`, () => send('', {}).catch(() => null));
    await work(send);
  } finally {
    receiver.kill('SIGKILL');
    await once(receiver, 'exit');
  }
}

async function expectToVerify(send: Send): Promise<void> {
  // Parsed and written again, the body would have another text.
  const body = '{ "id":"evt_1", "type":"order.completed","data":{ "amount":1.0, "text":"é" } }';
  const headers = await signWebhook(body, [`whsec_${Buffer.alloc(32, 2).toString('base64')}`, secret]);
  const statuses = [await send(body, headers), await send(`${body} `, headers), await send(body, {})];
  expect(statuses).to.deep.equal([204, 400, 400]);
}

describe('the samples in the README of the TypeScript library', () => {
  let port: number;
  let compiled: (heading: string) => string;
  before(async () => {
    port = await getPort({ host: '127.0.0.1' });
    compiled = await compile(port);
  });

  for (const framework of ['Express', 'Fastify']) {
    it(`verify requests with ${framework}`, async () => {
      await withServer(compiled(framework), port, expectToVerify);
    });
  }

  it('verify requests with the Request of fetch', async () => {
    Object.assign(process.env, { WEBHOOK_SECRET: secret });
    const { POST } = (await import(compiled('Next.js'))) as { POST: (request: Request) => Promise<Response> };
    await expectToVerify(async (body, headers) => {
      const request = new Request(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body, headers });
      return (await POST(request)).status;
    });
  });
});
