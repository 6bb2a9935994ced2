import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';

import type { RunningPipeline } from '../../../bench/pipelines/pipeline.js';
import { startRoles } from '../../../bench/pipelines/roles.js';
import { startChild, type ChildHost } from '../../../bench/processes/childProcess.js';
import { messageOf } from '../../../shared/core/errors.js';
import { createReleasers, type Releasers } from '../../../shared/runtime/lifecycle.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createWatchdog, type Watchdog } from '../../../stack/processes/watchdog.js';

/** A program that listens on the configured port, as a role does, and ends on request. */
const listening = `
  import { createServer } from 'node:http';
  const server = createServer((request, response) => {
    response.end('ok');
    if (request.url === '/end') process.exit(7);
  });
  server.listen(Number(process.env.PORT), '127.0.0.1', () =>
    process.send({ type: 'running', address: 'http://127.0.0.1:' + server.address().port }));`;

describe('the roles of a pipeline', () => {
  let directory: string;
  let watchdog: Watchdog;
  let releasers: Releasers;
  let host: ChildHost;
  let pipeline: RunningPipeline;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-roles-'));
    watchdog = createWatchdog();
    releasers = createReleasers(createLogger({ role: 'test', level: 'silent', isTerminal: false }));
    host = { watchdog, releasers, logDirectory: directory };
    const program = join(directory, 'program.mjs');
    await writeFile(program, listening);
    pipeline = await startRoles(
      { deliveryProcesses: 2 },
      {
        startRole: ({ name, environment }) => startChild({ name, program, environment }, host),
        prepare: () => Promise.resolve({ key: 'any' }),
      },
    );
  });

  afterEach(async () => {
    await releasers.releaseAll();
    watchdog.close();
    await rm(directory, { recursive: true });
  });

  it('have the configured number of delivery processes, and one process of each other role', () => {
    expect([...pipeline.processes.keys()]).to.deep.equal(['projections', 'delivery', 'delivery-2', 'api']);
  });

  it('keep their address after a restart', async () => {
    const before = pipeline.processes.get('api');
    await before?.kill();
    await pipeline.restart('api');
    const after = pipeline.processes.get('api');
    expect(after?.address).to.equal(before?.address);
    expect(after?.pid).not.to.equal(before?.pid);
  });

  it('report a process that ends unexpectedly, even if it was restarted', async () => {
    await pipeline.processes.get('api')?.kill();
    await pipeline.restart('api');
    const crash = pipeline.crashed.then(String, messageOf);
    await fetch(`${pipeline.processes.get('api')?.address ?? ''}/end`).catch(() => null);
    expect(await crash).to.match(/"api" has ended with 7/);
  });

  it('reject an unknown process', async () => {
    expect(await pipeline.restart('other').then(() => 'none', messageOf)).to.equal(
      'There is no process "other"',
    );
  });

  it('end when they are stopped', async () => {
    const pids = [...pipeline.processes.values()].map(({ pid }) => pid);
    await pipeline.stop();
    for (const pid of pids) {
      expect(() => process.kill(pid, 0)).to.throw('ESRCH');
    }
  });
});
