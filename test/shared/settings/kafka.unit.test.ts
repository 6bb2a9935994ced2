import { expect } from 'chai';

import type { Settings } from '../../support/settings.js';
import { configOf, settingErrorOf } from './settings.js';

const password = { KAFKA_SASL_USERNAME: 'postrider', KAFKA_SASL_PASSWORD: 'hidden-word' };
const oauth = {
  KAFKA_OAUTH_TOKEN_ENDPOINT: 'https://idp.example.com/token',
  KAFKA_OAUTH_CLIENT_ID: 'client',
  KAFKA_OAUTH_CLIENT_SECRET: 'hidden-word',
};
const tls = { KAFKA_SSL: 'true' };
const allowedWithoutScheme =
  'host:port addresses separated by commas, with ports from 1 to 65535, without a scheme (set KAFKA_SSL and KAFKA_SASL_MECHANISM instead)';

describe('the setting KAFKA_BROKERS', () => {
  it('is rejected with a scheme, and the error names the settings to use instead', () => {
    expect(settingErrorOf({ KAFKA_BROKERS: 'one:9092,SASL_SSL://k:9092' })).to.equal(
      ['KAFKA_BROKERS is "one:9092,SASL_SSL://k:9092"', `allowed: ${allowedWithoutScheme}.`].join('; '),
    );
  });
});

describe('the settings of the authentication to Kafka', () => {
  it('accept a mechanism in any case of letters', () => {
    for (const mechanism of ['plain', 'PLAIN', 'scram-sha-256', 'SCRAM-SHA-512', 'Scram-Sha-256']) {
      expect(configOf({ KAFKA_SASL_MECHANISM: mechanism, ...password, ...tls }).kafka.sasl).to.deep.equal({
        mechanism: mechanism.toLowerCase(),
        username: 'postrider',
        password: 'hidden-word',
      });
    }
  });

  it('accept oauthbearer with scope and extensions', () => {
    const settings = {
      ...{ KAFKA_SASL_MECHANISM: 'OAUTHBEARER', ...oauth, ...tls, KAFKA_OAUTH_SCOPE: 'kafka' },
      KAFKA_OAUTH_EXTENSIONS: 'logicalCluster=lkc-1, identityPoolId=pool-1',
    };
    expect(configOf(settings).kafka.sasl).to.deep.equal({
      mechanism: 'oauthbearer',
      tokenEndpoint: 'https://idp.example.com/token',
      clientId: 'client',
      clientSecret: 'hidden-word',
      scope: 'kafka',
      extensions: { logicalCluster: 'lkc-1', identityPoolId: 'pool-1' },
    });
  });

  it('accept aws-iam', () => {
    const settings = { KAFKA_SASL_MECHANISM: 'AWS-IAM', KAFKA_AWS_REGION: 'us-gov-west-1', ...tls };
    expect(configOf(settings).kafka.sasl).to.deep.equal({ mechanism: 'aws-iam', region: 'us-gov-west-1' });
  });

  const unused: readonly Settings[] = [
    { KAFKA_SASL_USERNAME: 'postrider' },
    { KAFKA_SASL_PASSWORD: 'hidden-word' },
    password,
    { KAFKA_OAUTH_CLIENT_SECRET: 'hidden-word' },
    { KAFKA_AWS_REGION: 'eu-central-1' },
  ];
  it('reject credentials without a mechanism', () => {
    for (const settings of unused) {
      expect(settingErrorOf(settings)).to.equal(
        `Without KAFKA_SASL_MECHANISM, ${Object.keys(settings).join(' and ')} would not be used. ` +
          'Set KAFKA_SASL_MECHANISM to plain, scram-sha-256, scram-sha-512, oauthbearer, aws-iam, or remove the credentials.',
      );
    }
  });

  const incomplete: readonly (readonly [Settings, string])[] = [
    [
      { KAFKA_SASL_MECHANISM: 'scram-sha-256', KAFKA_SASL_USERNAME: 'postrider' },
      'KAFKA_SASL_MECHANISM=scram-sha-256 needs KAFKA_SASL_PASSWORD. Set the missing settings.',
    ],
    [
      { KAFKA_SASL_MECHANISM: 'scram-sha-512' },
      'KAFKA_SASL_MECHANISM=scram-sha-512 needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD. Set the missing settings.',
    ],
    [
      { KAFKA_SASL_MECHANISM: 'oauthbearer', ...tls, KAFKA_OAUTH_CLIENT_ID: 'client' },
      'KAFKA_SASL_MECHANISM=oauthbearer needs KAFKA_OAUTH_TOKEN_ENDPOINT and KAFKA_OAUTH_CLIENT_SECRET. Set the missing settings.',
    ],
    [
      { KAFKA_SASL_MECHANISM: 'aws-iam', ...tls },
      'KAFKA_SASL_MECHANISM=aws-iam needs KAFKA_AWS_REGION. Set the missing settings.',
    ],
    [
      { KAFKA_SASL_MECHANISM: 'oauthbearer', ...tls, ...oauth, ...password },
      'KAFKA_SASL_MECHANISM=oauthbearer does not use KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD. Remove these settings, or set another mechanism.',
    ],
  ];
  it('are rejected if some are missing, or not used', () => {
    for (const [settings, message] of incomplete) {
      expect(settingErrorOf(settings)).to.equal(message);
    }
  });
});

describe('credentials for Kafka without encryption', () => {
  const readable: readonly Settings[] = [
    { KAFKA_SASL_MECHANISM: 'plain', ...password },
    { KAFKA_SASL_MECHANISM: 'oauthbearer', ...oauth },
    { KAFKA_SASL_MECHANISM: 'aws-iam', KAFKA_AWS_REGION: 'eu-central-1' },
  ];
  for (const settings of readable) {
    const mechanism = settings['KAFKA_SASL_MECHANISM'] ?? '';
    const message = `KAFKA_SASL_MECHANISM=${mechanism} sends its credentials in clear without TLS. Set KAFKA_SSL=true, or use scram-sha-256 or scram-sha-512.`;

    it(`are rejected with ${mechanism}, unless all brokers are on this machine`, () => {
      const brokersOf = (KAFKA_BROKERS: string) => settingErrorOf({ ...settings, KAFKA_BROKERS });
      expect([
        settingErrorOf(settings),
        brokersOf('127.0.0.1:9092,127.example.com:9092'),
        brokersOf('localhost:9092,127.0.0.2:9092'),
        settingErrorOf({ ...settings, ...tls }),
      ]).to.deep.equal([message, message, 'none', 'none']);
    });
  }

  it('are accepted with scram-sha-256, which sends no password', () => {
    expect(settingErrorOf({ KAFKA_SASL_MECHANISM: 'scram-sha-256', ...password })).to.equal('none');
  });

  for (const [endpoint, message] of [
    ['http://127.0.0.1:8080/token', 'none'],
    ['http://[::1]:8080/token', 'none'],
    [
      'http://idp.example.com/token',
      'KAFKA_OAUTH_TOKEN_ENDPOINT would receive KAFKA_OAUTH_CLIENT_SECRET in clear. Set an address that begins with https://.',
    ],
  ] as const) {
    it(`to the token endpoint ${endpoint} are ${message === 'none' ? 'accepted' : 'rejected'}`, () => {
      const settings = { KAFKA_SASL_MECHANISM: 'oauthbearer', ...oauth, ...tls };
      expect(settingErrorOf({ ...settings, KAFKA_OAUTH_TOKEN_ENDPOINT: endpoint })).to.equal(message);
    });
  }
});
