import { expect } from 'chai';

import { commonHeadersOf } from '../../api/app.js';
import { startApi } from '../../api/main.js';
import { createLogger } from '../../shared/core/logger.js';
import type { RunningRole } from '../../shared/runtime/role.js';
import { sharedService, type SharedService } from '../support/service.js';
import { call } from './support/client.js';
import { openConnection } from './support/connection.js';

const paths = ['/healthz', '/v1/webhooks', '/nothing', '/docs', '/openapi.json', '/dashboard'];

describe('the headers of every response', () => {
  let service: SharedService;
  let secure: RunningRole;
  before(async () => {
    service = await sharedService();
    const http = { ...service.config.http, publicUrl: 'https://events.example.com' };
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    secure = await startApi({ ...service.config, http }, logger, () => new Date());
  });
  after(() => secure.stop());

  it('protect every path from pages of other origins, and require https if the public URL is https', async () => {
    for (const path of paths) {
      const { headers } = await call(service.address, path);
      const secured = await call(secure.address, path);
      expect(
        [
          headers['cross-origin-resource-policy'],
          headers['x-content-type-options'],
          headers['strict-transport-security'],
          secured.headers['strict-transport-security'],
        ],
        path,
      ).to.deep.equal(['same-origin', 'nosniff', undefined, 'max-age=31536000']);
    }
  });

  it('are also in the response to invalid HTTP', async () => {
    const connection = await openConnection(secure.address);
    connection.write('hello\r\n\r\n');
    await connection.ended();
    const lines = connection.received().split('\r\n');
    const expected = Object.entries(commonHeadersOf('https://events.example.com'));
    expect(lines).to.include.members(expected.map(([name, value]) => `${name}: ${value}`));
  });

  it('isolate pages, and deny them access to devices', async () => {
    for (const path of ['/dashboard', '/docs', '/docs/errors']) {
      const { headers } = await call(service.address, path);
      expect(
        [
          headers['cross-origin-opener-policy'],
          headers['cross-origin-embedder-policy'],
          String(headers['permissions-policy']).includes('camera=(), '),
        ],
        path,
      ).to.deep.equal(['same-origin', 'require-corp', true]);
    }
  });
});
