import { expect } from 'chai';

import { makeCertificates, type Certificates } from '../../support/certificates.js';
import type { Settings } from '../../support/settings.js';
import { configOf, settingErrorOf } from './settings.js';

const servers = [
  { server: 'KAFKA', withTls: {}, tlsOf: (settings: Settings) => configOf(settings).kafka.ssl },
  { server: 'MONGODB', withTls: {}, tlsOf: (settings: Settings) => configOf(settings).mongodb.tls },
  {
    server: 'REDIS',
    withTls: { REDIS_URL: 'rediss://redis' },
    tlsOf: (settings: Settings) => configOf(settings).redis.tls,
  },
] as const;

describe('the settings of TLS', () => {
  let certificates: Certificates;
  let other: Certificates;
  before(async () => {
    [certificates, other] = await Promise.all([makeCertificates(), makeCertificates()]);
  });
  after(() => Promise.all([certificates.remove(), other.remove()]));

  for (const { server, withTls, tlsOf } of servers) {
    const all = (): Settings => ({
      ...withTls,
      [`${server}_SSL_CA`]: certificates.ca,
      [`${server}_SSL_CERT`]: certificates.client.cert,
      [`${server}_SSL_KEY`]: certificates.client.key,
      [`${server}_SSL_KEY_PASSPHRASE`]: certificates.client.passphrase,
      [`${server}_SSL_SERVER_NAME`]: 'server.test',
    });

    it(`turn on TLS for ${server}, with the given certificates`, () => {
      expect(tlsOf(all())).to.deep.equal({
        ca: certificates.ca,
        cert: certificates.client.cert,
        key: certificates.client.key,
        passphrase: certificates.client.passphrase,
        servername: 'server.test',
      });
    });

    it(`reject ${server}_SSL_CA without a certificate`, () => {
      expect(settingErrorOf({ ...all(), [`${server}_SSL_CA`]: 'certificate' })).to.match(
        new RegExp(
          `^${server}_SSL_CA \\(or the file of ${server}_SSL_CA_FILE\\) contains no certificate in PEM: .+\\.$`,
        ),
      );
    });

    for (const [title, changes] of [
      ['a wrong passphrase', () => ({ [`${server}_SSL_KEY_PASSPHRASE`]: 'wrong' })],
      ['a missing passphrase', () => ({ [`${server}_SSL_KEY_PASSPHRASE`]: '' })],
      ['the key of another certificate', () => ({ [`${server}_SSL_KEY`]: other.client.key })],
      ['a key that is none', () => ({ [`${server}_SSL_KEY`]: 'key' })],
    ] as const) {
      it(`reject ${title} for ${server}`, () => {
        expect(settingErrorOf({ ...all(), ...changes() })).to.match(
          new RegExp(
            `^${server}_SSL_CERT, ${server}_SSL_KEY and ${server}_SSL_KEY_PASSPHRASE do not match\\. The key must belong to the certificate, and the passphrase must be correct: .+\\.$`,
          ),
        );
      });
    }

    it(`reject a certificate without a key for ${server}`, () => {
      expect(settingErrorOf({ ...withTls, [`${server}_SSL_CERT`]: certificates.client.cert })).to.equal(
        `${server}_SSL_CERT and ${server}_SSL_KEY must be set together. Set both settings (or their _FILE forms), or neither of them.`,
      );
    });

    it(`reject a passphrase without a key for ${server}`, () => {
      expect(settingErrorOf({ ...withTls, [`${server}_SSL_KEY_PASSPHRASE`]: 'words' })).to.equal(
        `${server}_SSL_KEY_PASSPHRASE is set without ${server}_SSL_KEY. Set ${server}_SSL_KEY, or remove the passphrase.`,
      );
    });
  }

  it('reject KAFKA_SSL=false together with certificates', () => {
    expect(settingErrorOf({ KAFKA_SSL: 'false', KAFKA_SSL_CA: certificates.ca })).to.equal(
      'KAFKA_SSL is "false", but other KAFKA_SSL_ settings are set. Set KAFKA_SSL=true, or remove the other KAFKA_SSL_ settings.',
    );
  });

  it('reject certificates for a REDIS_URL without TLS', () => {
    expect(settingErrorOf({ REDIS_SSL_CA: certificates.ca })).to.equal(
      'REDIS_SSL_ settings need a REDIS_URL that begins with rediss://. Change REDIS_URL, or remove the REDIS_SSL_ settings.',
    );
  });

  for (const option of ['tls=false', 'ssl=false', 'tlsCAFile=/ca.pem', 'tlsCertificateKeyFile=/client.pem']) {
    it(`reject certificates for a MONGODB_URL with ${option}`, () => {
      const name = option.split('=')[0] ?? '';
      const settings = { MONGODB_URL: `mongodb://mongodb/?${option}`, MONGODB_SSL_CA: certificates.ca };
      expect(settingErrorOf(settings)).to.equal(
        `MONGODB_URL contains ${name}, and MONGODB_SSL_ settings are set. Remove ${name} from the URL, or remove the MONGODB_SSL_ settings.`,
      );
    });
  }
});
