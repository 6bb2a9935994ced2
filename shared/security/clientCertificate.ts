import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import type { ClientCertificate } from '../domain/webhooks/authentication.js';

const maximumCertificates = 10;
/** An RSA key of this size signs a handshake in 4 ms, which block the process; one of twice the size takes 30 ms. */
const maximumRsaBits = 4096;

/** A rule that a part of a client certificate breaks, as the end of a sentence that begins with the name of the part. */
export interface CertificateFault {
  readonly part: 'certificate' | 'privateKey';
  readonly rule: string;
}

/** The first fault of a client certificate; null if TLS can use it. */
export function certificateFault(
  { certificate, privateKey }: Omit<ClientCertificate, 'type'>,
  now: Date,
): CertificateFault | null {
  const chain = readChain(certificate);
  if (typeof chain === 'string') {
    return { part: 'certificate', rule: chain };
  }
  const key = readKey(privateKey);
  if (typeof key === 'string') {
    return { part: 'privateKey', rule: key };
  }
  const [leaf] = chain;
  if (leaf === undefined || !(new Date(leaf.validTo) > now)) {
    return { part: 'certificate', rule: 'must not have expired' };
  }
  if (!leaf.checkPrivateKey(key)) {
    return { part: 'privateKey', rule: 'must belong to the first certificate' };
  }
  return isUsable(certificate, privateKey)
    ? null
    : { part: 'certificate', rule: 'must be one that TLS accepts: its key or its signature is too weak' };
}

/** The certificates in a PEM text, or the rule that it breaks. */
function readChain(pem: string): readonly X509Certificate[] | string {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu) ?? [];
  if (blocks.length === 0) {
    return 'must be PEM text with -----BEGIN CERTIFICATE-----';
  }
  if (blocks.length > maximumCertificates) {
    return `must have at most ${String(maximumCertificates)} certificates`;
  }
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    return 'must be PEM text of valid certificates';
  }
}

/** The private key in a PEM text, or the rule that it breaks. */
function readKey(pem: string): KeyObject | string {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/u.test(pem)) {
    return 'must not be encrypted: decrypt it with openssl pkey';
  }
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return bits > maximumRsaBits ? `must have at most ${String(maximumRsaBits)} bits` : key;
  } catch {
    return 'must be PEM text with -----BEGIN PRIVATE KEY-----';
  }
}

/** Whether OpenSSL takes the certificate and the key. Its security level excludes weak ones. */
function isUsable(cert: string, key: string): boolean {
  try {
    createSecureContext({ cert, key });
    return true;
  } catch {
    return false;
  }
}
