import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect } from 'chai';

import { makeCertificates, type Certificates } from '../../support/certificates.js';
import { startConnectProxy } from '../../support/connectProxy.js';
import { ok } from './deliveries.js';
import { startReceiver, type Receiver } from './receiver.js';

const script = fileURLToPath(new URL('identifiedClient.ts', import.meta.url));
const unknownFile = (name: string) =>
  readFileSync(new URL(`certificate/${name}.pem`, import.meta.url), 'utf8');

describe('an attempt with a client certificate', () => {
  let certificates: Certificates;
  let receiver: Receiver;
  let names: string[];
  const identityOf = (owner: string) => {
    const { cert, key, passphrase } = certificates.client;
    const privateKey = createPrivateKey({ key, passphrase })
      .export({ format: 'pem', type: 'pkcs8' })
      .toString();
    return { owner, certificate: cert, privateKey };
  };
  const unknown = {
    owner: 'wh_3/0',
    certificate: unknownFile('certificate'),
    privateKey: unknownFile('key'),
  };

  before(async () => {
    certificates = await makeCertificates();
  });
  beforeEach(async () => {
    names = [];
    const { server, ca } = certificates;
    const certificate = { ...server, ca, requestCert: true, rejectUnauthorized: true };
    receiver = await startReceiver(
      (socket) => {
        names.push(socket instanceof TLSSocket ? String(socket.getPeerCertificate().subject.CN) : '');
        socket.write(ok);
      },
      { certificate },
    );
  });
  afterEach(() => receiver.close());

  /** The status or the error of each attempt, in another process that trusts the authority. */
  const outcomes = async (
    identities: readonly unknown[],
    proxyUrl: string | null = null,
  ): Promise<unknown> => {
    const attempts = identities.map((identity) => ({ url: receiver.url, identity }));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', script, JSON.stringify({ proxyUrl, attempts })],
      { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificates.caFile } },
    );
    return JSON.parse(stdout);
  };

  it('authenticates, and its connections serve no other webhook and no other version', async () => {
    const identities = ['wh_1/0', 'wh_1/0', 'wh_1/1', 'wh_2/0'].map(identityOf);

    expect(await outcomes(identities)).to.deep.equal([200, 200, 200, 200]);
    expect(names).to.deep.equal(['client', 'client', 'client', 'client']);
    expect(receiver.accepted()).to.equal(3);
  });

  it('fails without a certificate, with an unknown one, and with one that TLS cannot use', async () => {
    const unusable = { ...identityOf('wh_4/0'), privateKey: unknown.privateKey };

    // Node's server closes the connection of an unknown certificate without an alert.
    const expected = ['tls_error', 'connection_reset', 'tls_error', 200];
    expect(await outcomes([null, unknown, unusable, identityOf('wh_1/0')])).to.deep.equal(expected);
    expect(names).to.deep.equal(['client']);
  });

  it('authenticates through the egress proxy', async () => {
    const proxy = await startConnectProxy();

    expect(await outcomes([identityOf('wh_1/0')], proxy.url)).to.deep.equal([200]);
    expect([names, proxy.requests.length]).to.deep.equal([['client'], 1]);
  });
});
