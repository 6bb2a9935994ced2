import { expect } from 'chai';

import { startService, type TestService } from '../support/service.js';

describe('the health port during a stop', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ POSTRIDER_PARTITIONS: '1' }, ['projections', 'delivery']);
  });

  for (const role of ['projections', 'delivery'] as const) {
    it(`of ${role} answers "stopping" until the end`, async () => {
      const address = service.addressOf(role);
      const stopped = service.stopRole(role);
      const readiness = await fetch(`${address}/readyz`);
      const health = await fetch(`${address}/healthz`);
      const answers = [readiness.status, await readiness.json(), health.status];
      await stopped;
      const afterwards = await fetch(`${address}/healthz`).catch(() => 'refused');
      expect([...answers, afterwards]).to.deep.equal([
        503,
        { ready: false, checks: { running: 'stopping' } },
        200,
        'refused',
      ]);
    });
  }
});
