import { readFileSync } from 'node:fs';

import { expect } from 'chai';

import { loadConfig, loadOperatorConfig, settingNames } from '../../../shared/settings/config.js';
import { SettingError } from '../../../shared/settings/fieldSchemas.js';

type Settings = Readonly<Record<string, string | undefined>>;

const keyBytes = Buffer.alloc(32, 7);
const key = keyBytes.toString('base64');

/** All that has no default. */
const required: Settings = {
  KAFKA_BROKERS: 'kafka:9092',
  MONGODB_URL: 'mongodb://postrider:hidden-word@mongodb/postrider',
  REDIS_URL: 'redis://:hidden-word@redis:6379',
  POSTRIDER_ENCRYPTION_KEYS: `first:${key}`,
};

function load(settings: Settings = {}) {
  return loadConfig({ ...required, ...settings });
}

/** The message of the error that these settings give. */
function errorOf(settings: Settings): string {
  try {
    load(settings);
    return 'none';
  } catch (error) {
    return error instanceof SettingError ? error.message : `not a SettingError: ${String(error)}`;
  }
}

describe('settingNames', () => {
  it('are the settings that docs/operations/configure.md lists', () => {
    const page = readFileSync('docs/operations/configure.md', 'utf8');
    const firstCells = [...page.matchAll(/^\| (`[A-Z][^|]*)\|/gm)].flatMap(([, cell]) => cell ?? []);
    const documented = firstCells.flatMap((cell) =>
      [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].flatMap(([, name]) => name ?? []),
    );

    expect(documented).to.have.members([...settingNames]);
  });
});

describe('loadConfig: defaults', () => {
  it('are those of docs/operations/configure.md', () => {
    expect(load()).to.deep.equal({
      deadlines: { readModelMs: 5000, appendMs: 8000 },
      passwordCost: { ln: 15, r: 8, p: 3 },
      kafka: { brokers: ['kafka:9092'], ssl: null, sasl: null },
      mongodb: { url: required['MONGODB_URL'], tls: null },
      redis: { kind: 'server', url: required['REDIS_URL'], tls: null },
      http: {
        host: '0.0.0.0',
        port: 3000,
        metricsPort: null,
        drainDelayMs: 5000,
        keepAliveMs: 75_000,
        publicUrl: null,
        trustedProxies: 0,
      },
      topics: { prefix: 'postrider.', partitions: 12, replication: 3, eventRetentionMs: null },
      events: { expiryMs: null },
      encryptionKeys: [{ id: 'first', bytes: keyBytes }],
      webhooks: { allowHttp: false, allowPrivateAddresses: false, egressProxy: null },
      delivery: {
        retryScheduleMs: [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].map((s) => s * 1000),
        attemptTimeoutMs: 15_000,
        webhookConcurrency: 25,
        attemptSlots: 1000,
        failingAfterMs: 432_000_000,
      },
      operator: null,
      log: { level: 'info' },
    });
  });

  it('apply if a setting is empty whose empty value has no meaning', () => {
    const meant = ['POSTRIDER_RETRY_SCHEDULE', 'POSTRIDER_TOPIC_PREFIX'];
    const optional = settingNames.filter((name) => !(name in required) && !meant.includes(name));
    const empty = optional.map((name) => [name, '']);

    expect(load(Object.fromEntries(empty) as Settings)).to.deep.equal(load());
  });

  it('do not change with other variables of the environment', () => {
    expect(load({ PATH: '/bin', POSTRIDER_API_KEY: 'sk_live_1', POSTRIDER_URL: 'http://a' })).to.deep.equal(
      load(),
    );
  });
});

describe('loadOperatorConfig', () => {
  it('needs no servers', () => {
    expect(loadOperatorConfig({ POSTRIDER_OPERATOR: 'Ada', LOG_LEVEL: 'error' })).to.deep.equal({
      operator: 'Ada',
      log: { level: 'error' },
    });
  });

  it('rejects a wrong operator setting', () => {
    expect(() => loadOperatorConfig({ LOG_LEVEL: 'loud' })).to.throw(SettingError, 'LOG_LEVEL is "loud"');
  });
});

describe('loadConfig: unknown settings', () => {
  for (const [unknown, closest] of [
    ['POSTRIDER_ATTEMPT_TIMOUT', 'POSTRIDER_ATTEMPT_TIMEOUT'],
    ['POSTRIDER_PARTITION', 'POSTRIDER_PARTITIONS'],
    ['POSTRIDER_ENCRYPTION_KEY_FILE', 'POSTRIDER_ENCRYPTION_KEYS_FILE'],
  ] as const) {
    it(`rejects ${unknown} and names ${closest}`, () => {
      expect(errorOf({ [unknown]: 'x' })).to.equal(
        `${unknown} is not a setting of Postrider. Did you mean ${closest}?`,
      );
    });
  }
});

const values: readonly {
  settings: Settings;
  read: (config: ReturnType<typeof load>) => unknown;
  value: unknown;
}[] = [
  {
    settings: { KAFKA_BROKERS: 'one:9092, two:9093,127.0.0.1:65535' },
    read: ({ kafka }) => kafka.brokers,
    value: ['one:9092', 'two:9093', '127.0.0.1:65535'],
  },
  { settings: { KAFKA_SSL: 'true' }, read: ({ kafka }) => kafka.ssl, value: {} },
  { settings: { KAFKA_SSL: 'false' }, read: ({ kafka }) => kafka.ssl, value: null },
  {
    settings: {
      KAFKA_SASL_MECHANISM: 'scram-sha-512',
      KAFKA_SASL_USERNAME: 'postrider',
      KAFKA_SASL_PASSWORD: 'hidden-word',
    },
    read: ({ kafka }) => kafka.sasl,
    value: { mechanism: 'scram-sha-512', username: 'postrider', password: 'hidden-word' },
  },
  {
    settings: { MONGODB_URL: 'mongodb+srv://cluster.example.com' },
    read: ({ mongodb }) => mongodb.url,
    value: 'mongodb+srv://cluster.example.com',
  },
  {
    settings: {
      MONGODB_URL: 'mongodb://u:a%2Cb,c@one:27017,two:27018,[::1]:27019/name?replicaSet=rs0&w=majority',
    },
    read: ({ mongodb }) => mongodb.url,
    value: 'mongodb://u:a%2Cb,c@one:27017,two:27018,[::1]:27019/name?replicaSet=rs0&w=majority',
  },
  {
    settings: { REDIS_URL: 'rediss://redis.example.com' },
    read: ({ redis }) => redis,
    value: { kind: 'server', url: 'rediss://redis.example.com', tls: {} },
  },
  { settings: { HOST: '::1', PORT: '0' }, read: ({ http }) => [http.host, http.port], value: ['::1', 0] },
  { settings: { PORT: '65535' }, read: ({ http }) => http.port, value: 65_535 },
  {
    settings: { PORT: '3001', POSTRIDER_METRICS_PORT: '9464' },
    read: ({ http }) => [http.port, http.metricsPort],
    value: [3001, 9464],
  },
  // The port of the role, which is the default.
  {
    settings: { POSTRIDER_METRICS_PORT: '3000' },
    read: ({ http }) => http.metricsPort,
    value: null,
  },
  {
    settings: { POSTRIDER_DRAIN_DELAY: '0s', POSTRIDER_KEEP_ALIVE_TIMEOUT: '620s' },
    read: ({ http }) => [http.drainDelayMs, http.keepAliveMs],
    value: [0, 620_000],
  },
  {
    settings: { POSTRIDER_PUBLIC_URL: 'https://events.example.com', POSTRIDER_TRUSTED_PROXIES: '2' },
    read: ({ http }) => [http.publicUrl, http.trustedProxies],
    value: ['https://events.example.com', 2],
  },
  {
    settings: {
      POSTRIDER_TOPIC_PREFIX: 'staging-1_a.',
      POSTRIDER_PARTITIONS: '1000',
      POSTRIDER_REPLICATION: '1',
    },
    read: ({ topics }) => topics,
    value: {
      prefix: 'staging-1_a.',
      partitions: 1000,
      replication: 1,
      eventRetentionMs: null,
    },
  },
  {
    settings: { POSTRIDER_ALLOW_HTTP: 'true', POSTRIDER_ALLOW_PRIVATE_ADDRESSES: 'true' },
    read: ({ webhooks }) => webhooks,
    value: { allowHttp: true, allowPrivateAddresses: true, egressProxy: null },
  },
  {
    settings: { POSTRIDER_EGRESS_PROXY: 'http://ada:secret@[::1]:3128' },
    read: ({ webhooks }) => webhooks.egressProxy,
    value: { host: '::1', port: 3128, authorization: 'Basic YWRhOnNlY3JldA==' },
  },
  {
    settings: { POSTRIDER_ATTEMPT_SLOTS: '2000' },
    read: ({ delivery }) => delivery.attemptSlots,
    value: 2000,
  },
  {
    settings: { POSTRIDER_WEBHOOK_CONCURRENCY: '1' },
    read: ({ delivery }) => delivery.webhookConcurrency,
    value: 1,
  },
  {
    settings: { POSTRIDER_RETRY_SCHEDULE: '100ms, 2s,24d' },
    read: ({ delivery }) => delivery.retryScheduleMs,
    value: [100, 2000, 2_073_600_000],
  },
  {
    settings: { POSTRIDER_FAILING_AFTER: '12h' },
    read: ({ delivery }) => delivery.failingAfterMs,
    value: 43_200_000,
  },
  {
    settings: { POSTRIDER_OPERATOR: 'Ada Lovelace' },
    read: ({ operator }) => operator,
    value: 'Ada Lovelace',
  },
  { settings: { LOG_LEVEL: 'debug' }, read: ({ log }) => log.level, value: 'debug' },
];

describe('loadConfig: values', () => {
  it('are read from each setting', () => {
    for (const { settings, read, value } of values) {
      expect(read(load(settings)), Object.keys(settings).join()).to.deep.equal(value);
    }
  });

  it('keep encryption keys in their order: the first encrypts', () => {
    const second = Buffer.alloc(32, 9);
    const { encryptionKeys } = load({
      POSTRIDER_ENCRYPTION_KEYS: `new_key-2:${second.toString('base64')}, first:${key}`,
    });

    expect(encryptionKeys).to.deep.equal([
      { id: 'new_key-2', bytes: second },
      { id: 'first', bytes: keyBytes },
    ]);
  });
});

/** The allowed values as the message lists them, and values that are not allowed. */
const wrong: Readonly<Record<string, { allowed: string; values: readonly string[] }>> = {
  KAFKA_BROKERS: {
    allowed:
      'host:port addresses separated by commas, with ports from 1 to 65535, with a host name instead of an IPv6 address',
    values: [
      ...['kafka', 'kafka:9092,', 'one:9092 two:9092', ':9092', 'kafka:port', 'kafka:9092,other'],
      ...[
        'kafka:99999',
        'kafka:0',
        'kafka:65536',
        '[::1]:9092',
        '::1:9092',
        'user@kafka:9092',
        'kafka/a:9092',
      ],
    ],
  },
  KAFKA_SSL: { allowed: 'true or false', values: ['yes', '1', 'TRUE', ' true'] },
  KAFKA_SASL_MECHANISM: {
    allowed: 'plain, scram-sha-256, scram-sha-512, oauthbearer or aws-iam',
    values: ['gssapi', 'scram', 'AWS_MSK_IAM', ' plain'],
  },
  KAFKA_OAUTH_TOKEN_ENDPOINT: {
    allowed: 'an address that begins with https:// or http://',
    values: ['idp.example.com/token', 'ftp://idp.example.com'],
  },
  KAFKA_OAUTH_EXTENSIONS: {
    allowed: 'name=value pairs separated by commas, such as logicalCluster=lkc-1,identityPoolId=pool-1',
    values: ['logicalCluster', 'a=', '=b', 'a=b,', 'a-b=c', 'a=b\u0001c=d'],
  },
  KAFKA_AWS_REGION: {
    allowed: 'the region of the brokers, such as eu-central-1',
    values: ['eu', 'eu-central', 'EU-CENTRAL-1', 'eu-central-1.evil.example'],
  },
  REDIS_CLUSTER: { allowed: 'true or false', values: ['yes', '3'] },
  MONGODB_URL: {
    allowed: 'an address that begins with mongodb:// or mongodb+srv://',
    values: ['hidden-word', 'http://u:hidden-word@mongodb', 'mongodb'],
  },
  REDIS_URL: {
    allowed: 'an address that begins with redis:// or rediss://, such as rediss://user:password@host:6379/0',
    values: ['hidden-word', 'http://:hidden-word@redis', 'redis'],
  },
  HOST: {
    allowed: 'an IP address of this machine, such as 127.0.0.1 or ::, or localhost',
    values: ['false', 'example.com', '127.0.0', '[::1]'],
  },
  PORT: {
    allowed: 'a whole number from 0 to 65535',
    values: ['65536', '-1', '3000.5', '3e3', '0x10', 'http', ' 3000', '99999999999999999999'],
  },
  POSTRIDER_METRICS_PORT: {
    allowed: 'a whole number from 0 to 65535',
    values: ['65536', '-1', 'http'],
  },
  POSTRIDER_DRAIN_DELAY: {
    allowed: 'a number and a unit (ms, s, m or h), such as 15s, from 0s to 1h',
    values: ['5', '-1s', '61m', '1.5s'],
  },
  POSTRIDER_KEEP_ALIVE_TIMEOUT: {
    allowed: 'a number and a unit (ms, s, m or h), such as 15s, from 1s to 1h',
    values: ['75', '0s', '999ms', '2h'],
  },
  POSTRIDER_PUBLIC_URL: {
    allowed: 'an address that begins with http:// or https://',
    values: ['example.com', 'ftp://example.com', '//example.com'],
  },
  POSTRIDER_TRUSTED_PROXIES: { allowed: 'a whole number from 0 to 10', values: ['-1', '11', 'true'] },
  POSTRIDER_TOPIC_PREFIX: {
    allowed: '1 to 100 letters, digits, dots, underscores or hyphens, without two dots in a row',
    values: ['', '..', 'a..b', 'post rider.', 'post/rider', 'größe.', 'x'.repeat(101)],
  },
  POSTRIDER_PARTITIONS: { allowed: 'a whole number from 1 to 1000', values: ['0', '1001', 'twelve'] },
  POSTRIDER_REPLICATION: { allowed: 'a whole number from 1 to 9', values: ['0', '10'] },
  POSTRIDER_EVENT_RETENTION: {
    allowed: 'forever, or a number and a unit (h or d) from 1h on, such as 90d',
    values: ['-1', '30', '59m', 'never', '36501d', '1y'],
  },
  POSTRIDER_EVENT_EXPIRY: {
    allowed: 'never, or a number and a unit (h or d) from 1h on, such as 90d',
    values: ['0', '30', '59m', 'forever', '36501d'],
  },
  POSTRIDER_ENCRYPTION_KEYS: {
    allowed: 'id:base64 pairs separated by commas, each of 32 bytes: echo "k1:$(openssl rand -base64 32)"',
    values: [
      key,
      `first:${Buffer.alloc(31, 7).toString('base64')}`,
      `first:${Buffer.alloc(33, 7).toString('base64')}`,
      `first:${keyBytes.toString('hex')}`,
      `first:${key},`,
      `first:${key},first:${Buffer.alloc(32, 9).toString('base64')}`,
      `:${key}`,
      `fir st:${key}`,
      `${'x'.repeat(33)}:${key}`,
    ],
  },
  POSTRIDER_ALLOW_HTTP: { allowed: 'true or false', values: ['on'] },
  POSTRIDER_ALLOW_PRIVATE_ADDRESSES: { allowed: 'true or false', values: ['on'] },
  POSTRIDER_EGRESS_PROXY: {
    allowed: 'http://host:port or http://user:password@host:port, with "%" escapes in user and password',
    values: [
      'proxy:3128',
      'https://proxy:3128',
      'http://proxy/path',
      'http://a:%zz@proxy',
      'socks5://proxy:1080',
    ],
  },
  POSTRIDER_ATTEMPT_TIMEOUT: {
    allowed: 'a number and a unit (ms, s, m, h or d), such as 15s, and at most 24d',
    values: ['15', '0s', '1.5s', '-1s', '15 s', '1w', 's', '25d', '99999999999999999999d'],
  },
  POSTRIDER_RETRY_SCHEDULE: {
    allowed:
      'up to 50 delays of at most 24d, separated by commas, in the units ms, s, m, h or d, such as 5s,5m,2h',
    values: ['', '5', '5s,', '5s;5m', '5s,0s', '5s,25d', 'never', Array(51).fill('1s').join(',')],
  },
  POSTRIDER_FAILING_AFTER: {
    allowed: 'a number and a unit (ms, s, m, h or d), such as 15s, and at most 24d',
    values: ['5', '0d', '25d'],
  },
  POSTRIDER_ATTEMPT_SLOTS: { allowed: 'a whole number from 20 to 20000', values: ['19', '20001'] },
  POSTRIDER_WEBHOOK_CONCURRENCY: { allowed: 'a whole number from 1 to 1000', values: ['0', '1001'] },
  POSTRIDER_OPERATOR: { allowed: 'a name of up to 100 characters', values: ['x'.repeat(101), 'a\nb'] },
  LOG_LEVEL: {
    allowed: 'fatal, error, warn, info, debug, trace or silent',
    values: ['verbose', 'INFO'],
  },
};

/** Settings whose value may be, or hold, a secret. */
const neverShown = [
  ...['MONGODB_URL', 'REDIS_URL', 'POSTRIDER_PUBLIC_URL', 'POSTRIDER_ENCRYPTION_KEYS'],
  'POSTRIDER_EGRESS_PROXY',
];

describe('loadConfig: the retention of events', () => {
  it('is read in milliseconds, both for the log and for the database', () => {
    const { topics, events } = load({ POSTRIDER_EVENT_RETENTION: '90d', POSTRIDER_EVENT_EXPIRY: '36h' });
    expect([topics.eventRetentionMs, events.expiryMs]).to.deep.equal([7_776_000_000, 129_600_000]);
  });
});

describe('loadConfig: a wrong value', () => {
  it('is rejected, and the error names the allowed values, but no secret', () => {
    for (const [name, { allowed, values: rejected }] of Object.entries(wrong)) {
      for (const value of rejected) {
        const found = neverShown.includes(name) ? 'not valid' : `"${value}"`;
        expect(errorOf({ [name]: value })).to.equal(`${name} is ${found}; allowed: ${allowed}.`);
      }
    }
  });

  it('of POSTRIDER_PUBLIC_URL is rejected if it is more than an address, and the error shows no password', () => {
    for (const more of ['user:hidden-word@example.com', '@example.com', 'example.com/?a', 'example.com/#a']) {
      expect(errorOf({ POSTRIDER_PUBLIC_URL: `https://${more}` }), more).to.equal(
        'POSTRIDER_PUBLIC_URL is not valid; allowed: an address without user name, password, query and fragment, such as https://events.example.com.',
      );
    }
  });

  it('of POSTRIDER_ATTEMPT_SLOTS is rejected if it is too low for the concurrency of webhooks', () => {
    expect(errorOf({ POSTRIDER_ATTEMPT_SLOTS: '99' })).to.equal(
      'POSTRIDER_ATTEMPT_SLOTS is "99"; allowed: at least 100, four times POSTRIDER_WEBHOOK_CONCURRENCY (25).',
    );
    expect(load({ POSTRIDER_WEBHOOK_CONCURRENCY: '500' }).delivery.attemptSlots).to.equal(2000);
  });
});

describe('loadConfig: a missing value', () => {
  it('of the address of a server is rejected, and the error says how to get one', () => {
    for (const name of ['KAFKA_BROKERS', 'MONGODB_URL', 'REDIS_URL']) {
      for (const value of [undefined, '']) {
        expect(errorOf({ [name]: value })).to.equal(
          `${name} is not set. Set the address of your server, or run "postrider start" or "postrider stack up" in this folder to use local servers.`,
        );
      }
    }
  });

  it('of POSTRIDER_ENCRYPTION_KEYS is rejected, and the error says how to create one', () => {
    expect(errorOf({ POSTRIDER_ENCRYPTION_KEYS: undefined })).to.equal(
      'POSTRIDER_ENCRYPTION_KEYS is not set. Generate a key with: echo "k1:$(openssl rand -base64 32)"',
    );
  });
});
