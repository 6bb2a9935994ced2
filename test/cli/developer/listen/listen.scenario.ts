import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createClient } from '../../../api/support/client.js';
import { postEvent } from '../../../api/support/events.js';
import { eventually } from '../../../support/eventually.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import { startReceiver } from '../../../support/receiver.js';
import { startService } from '../../../support/service.js';
import { startTcpProxy } from '../../../support/tcpProxy.js';

/** Longer than the time after which the service closes a connection whose client reads nothing. */
const suspendedMs = 60_000;

describe('the program `postrider listen`', () => {
  it('loses and repeats nothing over a restart of the API, a suspension of a minute, and Ctrl-C', async () => {
    const service = await startService();
    // An API that is started again has another port.
    const proxy = await startTcpProxy(() => service.addressOf('api'));
    const { testKey } = await service.createAccount();
    const receiver = await startReceiver();
    const folder = await mkdtemp(join(tmpdir(), 'postrider-listen-'));
    closeAtEndOfFile(() => rm(folder, { recursive: true }));
    const posted: string[] = [];
    const post = async () => {
      posted.push((await postEvent(createClient(service.addressOf('api'), testKey))).id);
    };
    const start = async () => {
      const command = spawn(
        process.execPath,
        [resolve('dist/cli/main.js'), 'listen', '--forward-to', receiver.url],
        {
          env: {
            ...process.env,
            POSTRIDER_URL: proxy.address,
            POSTRIDER_API_KEY: testKey,
            XDG_CONFIG_HOME: folder,
          },
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      closeAtEndOfFile(() => command.kill('SIGKILL'));
      let printed = '';
      command.stderr.on('data', (text: Buffer) => (printed += text.toString()));
      const shows = (count: number) =>
        eventually(`connection ${count}`, () => (printed.split('connected to').length > count ? true : null));
      await shows(1);
      return { command, shows };
    };

    const { command, shows } = await start();
    await post();
    await receiver.received(1);

    await service.stopRole('api');
    await service.startRole('api');
    await post();
    await receiver.received(2);
    await shows(2);

    command.kill('SIGSTOP');
    await post();
    await pause(suspendedMs);
    await post();
    command.kill('SIGCONT');
    await receiver.received(4);
    await shows(3);

    const ended = once(command, 'exit');
    command.kill('SIGINT');
    expect(await ended).to.deep.equal([0, null]);
    await post();
    await start();
    await post();
    await receiver.received(6);

    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal(posted);
  });
});
