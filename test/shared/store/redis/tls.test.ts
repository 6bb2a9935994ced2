import { expect } from 'chai';

import { createRedis } from '../../../../shared/store/redis/client.js';
import { makeCertificates, type Certificates } from '../../../support/certificates.js';
import { eventually } from '../../../support/eventually.js';
import type { Settings } from '../../../support/settings.js';
import { testStack } from '../../../support/stack.js';
import { startTlsProxy, type TlsProxy } from '../../../support/tlsProxy.js';
import { openRedis, recordingLogger } from './connections.js';
import { redisConfigOf } from './redisConfig.js';

/** The Redis of the local stack is built without TLS. A proxy ends TLS in front of it, as in many installations. */
describe('The Redis client with TLS', () => {
  let certificates: Certificates;
  let proxy: TlsProxy;
  before(async () => {
    certificates = await makeCertificates();
    proxy = await startTlsProxy(certificates, Number(new URL((await testStack()).redis.url).port));
  });
  after(async () => {
    await certificates.remove();
  });

  const settingsOf = (changes: Settings = {}) =>
    redisConfigOf({
      REDIS_URL: `rediss://127.0.0.1:${proxy.port}`,
      REDIS_SSL_CA: certificates.ca,
      REDIS_SSL_CERT: certificates.client.cert,
      REDIS_SSL_KEY: certificates.client.key,
      REDIS_SSL_KEY_PASSPHRASE: certificates.client.passphrase,
      ...changes,
    });

  it('connects with the certificates of its settings', async () => {
    const redis = await openRedis(settingsOf());
    expect(await redis.client.ping().finally(redis.close)).to.equal('PONG');
  });

  for (const [title, changes] of [
    ['whose authority it does not know', { REDIS_SSL_CA: '' }],
    ['whose certificate has another name', { REDIS_SSL_SERVER_NAME: 'other.test' }],
  ] as const) {
    it(`does not connect to a server ${title}`, async () => {
      const logger = recordingLogger();
      const redis = createRedis(settingsOf(changes), logger);
      await eventually('the failure is reported', () => (logger.lines.length > 0 ? true : null));
      expect(redis.isReady()).to.equal(false);
      redis.close();
    });
  }
});
