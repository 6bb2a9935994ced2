import { expect } from 'chai';

import type { Settings } from '../../support/settings.js';
import { configOf, settingErrorOf } from './settings.js';

const login = { username: 'user', password: ',/@:%ü' };
const credentials = 'user:,%2F%40%3A%25%C3%BC';

describe('the settings of Redis', () => {
  it('contain the nodes of a cluster', () => {
    const settings = { REDIS_URL: `rediss://${credentials}@one:7000,two,[::1]:7001`, REDIS_CLUSTER: 'true' };
    expect(configOf(settings).redis).to.deep.equal({
      kind: 'cluster',
      nodes: [
        { host: 'one', port: 7000 },
        { host: 'two', port: 6379 },
        { host: '::1', port: 7001 },
      ],
      login,
      tls: {},
    });
  });

  it('contain the Sentinels of a master', () => {
    const settings = {
      REDIS_URL: `redis://${credentials}@one,two:5000/3`,
      REDIS_SENTINEL_MASTER: 'my-master',
      REDIS_SENTINEL_USERNAME: 'watcher',
      REDIS_SENTINEL_PASSWORD: 'word',
    };
    expect(configOf(settings).redis).to.deep.equal({
      kind: 'sentinel',
      sentinels: [
        { host: 'one', port: 26_379 },
        { host: 'two', port: 5000 },
      ],
      master: 'my-master',
      sentinelLogin: { username: 'watcher', password: 'word' },
      login,
      database: 3,
      tls: null,
    });
  });

  for (const url of [
    'redis://redis',
    'redis://:word@redis:6380/2?family=6',
    'rediss://[::1]:6379',
    'redis://r_1',
  ]) {
    it(`describe one server with REDIS_URL ${url}`, () => {
      const tls = url.startsWith('rediss:') ? {} : null;
      expect(configOf({ REDIS_URL: url }).redis).to.deep.equal({ kind: 'server', url, tls });
    });
  }

  const rejected: readonly (readonly [Settings, string])[] = [
    [
      { REDIS_URL: 'redis://one,two' },
      'REDIS_URL contains several hosts. If the hosts are nodes of a cluster, set REDIS_CLUSTER=true. If the hosts are Sentinels, set REDIS_SENTINEL_MASTER.',
    ],
    [
      { REDIS_CLUSTER: 'true', REDIS_SENTINEL_MASTER: 'my-master' },
      'REDIS_CLUSTER and REDIS_SENTINEL_MASTER are both set. Remove one of the two settings.',
    ],
    [
      { REDIS_URL: 'redis://one/1', REDIS_CLUSTER: 'true' },
      'REDIS_URL selects the database 1, but a Redis cluster has only database 0. Remove the database from REDIS_URL, or set REDIS_CLUSTER=false.',
    ],
    [
      { REDIS_URL: 'redis://one?family=6', REDIS_SENTINEL_MASTER: 'my-master' },
      'REDIS_URL contains options after "?", which are not supported with a cluster or Sentinels. Remove the options.',
    ],
    [
      { REDIS_SENTINEL_PASSWORD: 'hidden-word' },
      'REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD need REDIS_SENTINEL_MASTER. Set REDIS_SENTINEL_MASTER, or remove the user name and the password.',
    ],
  ];
  it('are rejected if they contradict each other', () => {
    for (const [settings, message] of rejected) {
      expect(settingErrorOf(settings)).to.equal(message);
    }
  });

  it('reject an address in another form', () => {
    for (const url of ['redis://one:99999', 'redis://one,', 'redis://one/a', 'redis:///0']) {
      expect(settingErrorOf({ REDIS_URL: url }), url).to.match(/^REDIS_URL is not valid; allowed: /);
    }
  });

  it('reject a password that is not percent-encoded correctly, without showing it', () => {
    expect(settingErrorOf({ REDIS_URL: 'redis://:100%hidden-word@one' })).to.equal(
      'REDIS_URL is not valid; allowed: an address that begins with redis:// or rediss://, such as rediss://user:password@host:6379/0.',
    );
  });
});
