import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { expect } from 'chai';

import { authenticationInfo } from '../../../shared/domain/webhooks/authentication.js';
import { certificateFault } from '../../../shared/security/clientCertificate.js';

const folder = new URL('../../consumers/http/certificate/', import.meta.url);
const certificate = readFileSync(new URL('certificate.pem', folder), 'utf8');
const privateKey = readFileSync(new URL('key.pem', folder), 'utf8');
const now = new Date('2026-11-28T12:00:00Z');

const { privateKey: another } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const anotherKey = another.export({ format: 'pem', type: 'pkcs8' }).toString();
const encryptedKey = another
  .export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'words' })
  .toString();

describe('a client certificate', () => {
  it('is accepted with its key, and with the certificates of authorities', () => {
    expect(certificateFault({ certificate, privateKey }, now)).to.equal(null);
    expect(certificateFault({ certificate: certificate.repeat(10), privateKey }, now)).to.equal(null);
  });

  const broken = certificate.replace(/\n[^\n]+\n-----END/u, '\n-----END');
  const faults = [
    ['certificate', 'is no PEM text', { certificate: 'MIIB' }],
    ['certificate', 'is a key', { certificate: privateKey }],
    ['certificate', 'is cut off', { certificate: broken }],
    ['certificate', 'is followed by too many', { certificate: certificate.repeat(11) }],
    ['privateKey', 'is no PEM text', { privateKey: 'MIIB' }],
    ['privateKey', 'is a certificate', { privateKey: certificate }],
    ['privateKey', 'is encrypted', { privateKey: encryptedKey }],
    ['privateKey', 'belongs to another certificate', { privateKey: anotherKey }],
  ] as const;
  for (const [part, what, changed] of faults) {
    it(`is rejected if its ${part} ${what}, without a part of it in the message`, () => {
      const fault = certificateFault({ certificate, privateKey, ...changed }, now);

      expect(fault?.part).to.equal(part);
      expect(fault?.rule).not.to.contain('MII');
    });
  }

  it('is rejected after its end', () => {
    const fault = certificateFault({ certificate, privateKey }, new Date('2121-01-01T00:00:00Z'));

    expect(fault?.part).to.equal('certificate');
  });

  it('is shown with its subject and its end', () => {
    expect(authenticationInfo({ type: 'mtls', certificate, privateKey })).to.have.all.keys(
      'type',
      'subject',
      'expires',
    );
  });
});
