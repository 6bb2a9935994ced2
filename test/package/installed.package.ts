import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { promisify, stripVTControlCharacters } from 'node:util';

import { expect } from 'chai';

import { makeDirectory, removeDirectories } from '../stack/directories.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';

const run = promisify(execFile);

/** The service starts its servers, which may have to be fetched first. */
const readyMs = 300_000;

/** The package as its users get it: installed into an empty folder, without the development dependencies. */
describe('the installed package', function () {
  this.timeout(2 * readyMs);

  let folder: string;
  let program: string;
  let receiver: Receiver;
  let service: ChildProcess;
  let printed = '';

  before(async () => {
    folder = await makeDirectory();
    receiver = await startReceiver();
    const archives = join(folder, 'archives');
    await mkdir(archives);
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', archives]);
    await writeFile(join(folder, 'package.json'), '{}');
    const archive = join(archives, stdout.trim().split('\n').at(-1) ?? '');
    await run('npm', ['install', '--silent', '--omit=dev', archive], { cwd: folder });
    program = join(folder, 'node_modules', '.bin', 'postrider');
    service = spawn(program, ['start'], { cwd: folder, env: { ...process.env, PORT: '0' } });
    for (const stream of [service.stdout, service.stderr]) {
      stream?.on('data', (chunk: Buffer) => (printed += stripVTControlCharacters(chunk.toString())));
    }
  });

  after(async () => {
    service.kill('SIGKILL');
    await removeDirectories();
  });

  const printedAs = (pattern: RegExp) =>
    eventually(
      `the output ${String(pattern)}`,
      () => {
        if (service.exitCode !== null) {
          throw new Error(printed);
        }
        return pattern.exec(printed)?.[1] ?? null;
      },
      readyMs,
    );

  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${await printedAs(/ready at (\S+)/)}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await printedAs(/live key +(\S+)/)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    expect(response.status, printed).to.equal(201);
  };

  it('explains its commands', async () => {
    const child = spawn(program, ['--help'], { cwd: folder });
    expect(await text(child.stdout)).to.include('start');
  });

  it('starts, and delivers an event that is posted to it', async () => {
    await post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await post('/v1/events', { type: 'order.completed', data: { orderId: 'ord_1' } });

    const [request] = await receiver.received(1, readyMs);
    expect(JSON.parse(String(request?.body))).to.deep.include({ type: 'order.completed' });
  });

  it('serves the dashboard, the portal and the API reference', async () => {
    const address = await printedAs(/ready at (\S+)/);
    for (const path of ['/dashboard', `/portal/acct_${'0'.repeat(26)}`, '/docs', '/openapi.json']) {
      expect((await fetch(address + path)).status, path).to.equal(200);
    }
  });

  it('stops on Ctrl-C', async () => {
    const ended = once(service, 'exit');
    service.kill('SIGINT');
    expect(await ended, printed).to.deep.equal([0, null]);
  });

  it('installs nothing that reports installations to another host', async () => {
    const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: resolve(folder) });
    expect(stdout).not.to.include('@scarf');
  });
});
