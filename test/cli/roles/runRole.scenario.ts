import { existsSync, readFileSync } from 'node:fs';

import { expect } from 'chai';

import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';
import { startRoleProcess } from '../../support/roleProcess.js';
import { startService } from '../../support/service.js';

const knowsSessions = existsSync('/proc/self/autogroup');

/** The niceness of a process's session, or 0 if the kernel has no sessions. */
function nicenessOf(pid: number): number {
  const text = knowsSessions ? readFileSync(`/proc/${pid}/autogroup`, 'utf8') : '';
  return Number(/nice (?<niceness>-?\d+)/u.exec(text)?.groups?.['niceness'] ?? 0);
}

describe('CPUs that roles share', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  for (const [role, others, niceness] of [
    ['api', ['projections'], 2],
    ['projections', [], 10],
  ] as const) {
    it(`serve deliveries before ${role}`, async () => {
      const service = await startService({ POSTRIDER_PARTITIONS: '2' }, others);
      opened.add('service', service.stop);
      const running = await startRoleProcess(role, service.settings);
      opened.add(role, async () => {
        await running.stop();
      });
      const expected = knowsSessions ? niceness : 0;
      const found = await eventually('a smaller part', () =>
        Promise.resolve(nicenessOf(running.pid) === expected || null),
      );
      expect(found).to.equal(true);
    });
  }
});
