import process from 'node:process';

import { expect } from 'chai';

import { eventually } from '../support/eventually.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { sharedService } from '../support/service.js';

describe('an API process with a long drain delay', () => {
  let api: RoleProcess;
  beforeEach(async () => {
    const { settings } = await sharedService();
    // Longer than any test, so a process that ends has not waited for it.
    api = await startRoleProcess('api', { ...settings, POSTRIDER_DRAIN_DELAY: '1h' });
  });

  const send = (signal: 'SIGTERM' | 'SIGINT') => {
    process.kill(api.pid, signal);
  };

  it('ends properly and at once after Ctrl-C', async () => {
    send('SIGINT');
    expect(await api.exited).to.equal(0);
  });

  it('ends at once if another signal follows during the drain', async () => {
    send('SIGTERM');
    await eventually('readiness says that it stops', async () => {
      const response = await fetch(`${api.address}/readyz`);
      return (await response.text()).includes('stopping') ? true : null;
    });
    send('SIGTERM');
    expect(await api.exited).to.equal(1);
  });
});
