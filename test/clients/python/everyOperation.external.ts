import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { expect } from 'chai';

import { startFaultProxy } from '../../../clients/conformance/support/faultProxy.js';
import { startReceiver } from '../../support/receiver.js';
import { sharedService } from '../../support/service.js';
import { operationIds, operationOf } from '../everyOperation.js';

/** `.ci/verify` has installed the library in this environment. */
const python = resolve('node_modules/.cache/clients/python/environment/bin/python');
const run = promisify(execFile);

describe('the methods of the Python library', () => {
  it('call every operation of the service, and read each response', async () => {
    const service = await sharedService();
    const { liveKey } = await service.createAccount();
    const [proxy, receiver] = [await startFaultProxy(service.address), await startReceiver()];

    await run(python, [
      'clients/python/conformance/every_operation.py',
      proxy.address,
      liveKey,
      receiver.url,
    ]);

    const called = proxy.requests.map(({ method, path }) => {
      const { pathname } = new URL(path, proxy.address);
      return operationOf(method, pathname)?.id ?? `${method} ${pathname}`;
    });
    expect([...new Set(called)].sort()).to.deep.equal(operationIds);
  });
});
