import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { expect } from 'chai';
import { z } from 'zod';

import { startChild, type ChildHost } from '../../../bench/processes/childProcess.js';
import { messageOf } from '../../../shared/core/errors.js';
import { createReleasers, type Releasers } from '../../../shared/runtime/lifecycle.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createWatchdog, type Watchdog } from '../../../stack/processes/watchdog.js';
import { eventually } from '../../support/eventually.js';

const sayRunning = `process.send({ type: 'running', address: 'http://127.0.0.1:1' });`;

const goOn = `setInterval(() => undefined, 1000);`;

const workFor100Ms = `while (process.cpuUsage().user < 150_000);`;

const echo = `
  process.on('message', ({ id, request }) => {
    if (request === 'end') { console.log('the last words'); process.exit(3); }
    process.send(request === 'fail' ? { id, error: 'no answer to that' } : { id, reply: request });
  });
  ${sayRunning}`;

describe('a process of the benchmark', () => {
  let directory: string;
  let watchdog: Watchdog;
  let releasers: Releasers;
  let host: ChildHost;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postrider-child-'));
    watchdog = createWatchdog();
    releasers = createReleasers(createLogger({ role: 'test', level: 'silent', isTerminal: false }));
    host = { watchdog, releasers, logDirectory: directory };
  });

  afterEach(async () => {
    await releasers.releaseAll();
    watchdog.close();
    await rm(directory, { recursive: true });
  });

  const start = async (script: string) => {
    const program = join(directory, 'program.mjs');
    await writeFile(program, script);
    return startChild({ name: 'program', program }, host);
  };

  const failureOf = (work: Promise<unknown>) => work.then(() => 'none', messageOf);

  it('answers requests', async () => {
    const child = await start(echo);
    expect(await child.request([1, 2], z.array(z.number()))).to.deep.equal([1, 2]);
  });

  it('reports the reason of a failed request', async () => {
    const child = await start(echo);
    expect(await failureOf(child.request('fail', z.string()))).to.equal('no answer to that');
  });

  it('fails a request with the last lines of a process that ends', async () => {
    const child = await start(echo);
    expect(await failureOf(child.request('end', z.string()))).to.equal(
      'The process "program" has ended with 3. Its last lines:\n  the last words',
    );
  });

  it('reports its output if it ends before it has started', async () => {
    expect(await failureOf(start(`console.error('no port is free'); process.exit(1);`))).to.match(
      /no port is free$/,
    );
  });

  it('does not count as crashed after it was killed', async () => {
    const child = await start(`${sayRunning} process.on('SIGTERM', () => undefined);${goOn}`);
    await child.kill();
    expect(await Promise.race([child.crashed.then(String, messageOf), endOfTurn('not lost')])).to.equal(
      'not lost',
    );
    expect(() => process.kill(child.pid, 0)).to.throw('ESRCH');
  });

  it('reports its CPU time after it was killed', async () => {
    const child = await start(`${sayRunning}${workFor100Ms}${goOn}`);
    const used = await eventually('its work', async () => {
      const ms = await child.cpuMs();
      expect(ms).to.be.at.least(100);
      return ms;
    });
    await child.kill();
    expect(await child.cpuMs()).to.be.at.least(used);
  });

  it('ends when its releasers are called', async () => {
    const { pid } = await start(`${sayRunning} setInterval(() => undefined, 1000);`);
    await releasers.releaseAll();
    expect(() => process.kill(pid, 0)).to.throw('ESRCH');
  });
});
