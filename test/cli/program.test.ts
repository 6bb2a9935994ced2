import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';

import { expect } from 'chai';

import { runCommand } from '../support/program.js';

/** The settings of a command whose servers are not there. */
const unreachable = {
  KAFKA_BROKERS: '127.0.0.1:9',
  MONGODB_URL: 'mongodb://127.0.0.1:9',
  REDIS_URL: 'redis://127.0.0.1:9',
  POSTRIDER_ENCRYPTION_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
};

/** The first process of a container ignores a signal without a handler. */
describe('a command that is not a role', () => {
  for (const [signal, exitCode] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    it(`handles ${signal} and ends with exit code ${exitCode}`, async () => {
      const silent = createServer((socket) => {
        socket.on('error', () => undefined).resume();
      }).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      try {
        const { port } = silent.address() as AddressInfo;
        const command = spawn(process.execPath, [resolve('dist/cli/main.js'), 'lag'], {
          env: {
            ...process.env,
            ...unreachable,
            KAFKA_BROKERS: `127.0.0.1:${port}`,
          },
          stdio: 'ignore',
        });
        const ended = once(command, 'exit');
        await Promise.race([once(silent, 'connection'), ended]);

        command.kill(signal);

        expect(await ended).to.deep.equal([exitCode, null]);
      } finally {
        silent.close();
      }
    });
  }
});

describe('a command whose output nobody reads', () => {
  it('ends without an error message', async () => {
    const command = spawn(process.execPath, [resolve('dist/cli/main.js'), 'completion', 'bash'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    command.stdout.destroy();
    const ended = once(command, 'exit');
    expect([await text(command.stderr), await ended]).to.deep.equal(['', [141, null]]);
  });
});

/** The environment, `.env` and the settings of `start` are merged before they are checked. */
describe('an empty setting of the environment', () => {
  it('is an error if its empty value could be meant', async () => {
    for (const name of ['POSTRIDER_RETRY_SCHEDULE', 'POSTRIDER_TOPIC_PREFIX']) {
      const { stderr } = await runCommand({ ...unreachable, [name]: '' }, 'lag');
      expect(stderr).to.contain(`${name} is "";`);
    }
  });
});
