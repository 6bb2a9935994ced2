import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import process from 'node:process';

import { expect } from 'chai';

import { readStackRecord, type StackRecord } from '../../../stack/processes/stackRecord.js';
import { endProcess } from '../../../stack/system/signals.js';
import { makeDirectory, removeDirectories } from '../../stack/directories.js';
import { processesWith } from '../../stack/processes.js';
import { createClient } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';
import { runProgramIn } from '../../support/program.js';
import { startProgramIn, type StartedProgram } from '../../support/startCommand.js';

const settings = { PORT: '0', LOG_LEVEL: 'fatal' };

describe('a local server that ends', () => {
  const opened = createOpened();
  let folder: string;
  beforeEach(async () => {
    folder = await makeDirectory();
  });
  afterEach(async () => {
    await opened.releaseAll();
    await removeDirectories();
  });

  const recorded = async (): Promise<StackRecord> => {
    const record = await readStackRecord(`${folder}/.postrider`);
    if (record === null) {
      throw new Error('there is no record of servers');
    }
    return record;
  };

  const killKafka = async () => {
    await endProcess((await recorded()).servers.kafka, 'SIGKILL');
  };

  describe('of "stack up"', () => {
    const stack = (...words: readonly string[]) => runProgramIn(folder, settings, 'stack', ...words);

    it('is shown as ended, and started again by "stack up", while the others keep their processes', async () => {
      opened.add('servers', async () => {
        await stack('down');
      });
      await stack('up');
      const before = await recorded();
      await killKafka();
      const status = await stack('status', '--json');
      const up = await stack('up', '--json');
      const after = await recorded();
      expect([status.code, status.stderr, JSON.parse(status.stdout)]).to.deep.equal([
        1,
        'postrider: Kafka ended. Start it again with: postrider stack up\n',
        {
          kafka: { ...before.addresses.kafka, state: 'ended' },
          mongodb: { ...before.addresses.mongodb, state: 'running' },
          redis: { ...before.addresses.redis, state: 'running' },
        },
      ]);
      expect([up.code, JSON.parse(up.stdout), after.addresses]).to.deep.equal([
        0,
        before.addresses,
        before.addresses,
      ]);
      expect(after.servers.kafka).not.to.deep.equal(before.servers.kafka);
      expect([after.servers.mongodb, after.servers.redis]).to.deep.equal([
        before.servers.mongodb,
        before.servers.redis,
      ]);
      expect((await stack('status')).code).to.equal(0);
    });
  });

  it('is not left running by a Ctrl-C during the start', async () => {
    const child = spawn(process.execPath, [resolve('dist/cli/main.js'), 'start'], {
      ...{ cwd: folder, env: { ...process.env, ...settings }, detached: true },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as unknown[];
    await eventually('the end of the servers', async () =>
      (await processesWith(folder)).length === 0 ? true : null,
    );
    expect(code).to.equal(0);
  });

  describe('of "start"', () => {
    let started: StartedProgram;
    beforeEach(async () => {
      started = await startProgramIn(folder, settings);
      opened.add('service', async () => {
        await started.stop();
      });
    });

    it('is started again at its address, so that the service continues', async () => {
      const before = await recorded();
      await killKafka();
      await eventually('the restart', () => (started.text().includes('Kafka runs again.') ? true : null));
      const client = createClient(started.address, /live key {3}(\S+)/.exec(started.text())?.[1] ?? '');
      const accepted = await eventually('an accepted event', async () => {
        const { status } = await client.post('/v1/events', { type: 'order.completed', data: {} });
        return status === 201 ? status : null;
      });
      expect([accepted, (await recorded()).addresses]).to.deep.equal([201, before.addresses]);
    });

    it('does not delay the end of "start"', async () => {
      await killKafka();
      expect(await started.stop()).to.equal(0);
    });
  });
});
