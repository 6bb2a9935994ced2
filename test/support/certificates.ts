import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeAtEndOfFile } from './fileResources.js';

interface KeyPair {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

/** Certificates of one authority, made for one test and deleted with it. */
export interface Certificates {
  readonly caFile: string;
  readonly ca: string;
  /** The certificate of a server at 127.0.0.1 with the name `server.test`. */
  readonly server: KeyPair;
  /** A certificate with an encrypted key. */
  readonly client: KeyPair & { readonly passphrase: string };
  readonly remove: () => Promise<void>;
}

const run = promisify(execFile);
const passphrase = 'words-before-the-key';

/** Creates an authority and signs certificates with openssl, in a separate folder. */
export async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-certificates-'));
  const caFile = join(folder, 'ca.pem');
  const caKeyFile = join(folder, 'ca.key');
  const request = (name: string, file: string, keyFile: string, ...others: readonly string[]) =>
    run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-out', file, '-keyout', keyFile, ...others],
    ]);
  const signed = async (name: string, ...others: readonly string[]): Promise<KeyPair> => {
    const certFile = join(folder, `${name}.pem`);
    const keyFile = join(folder, `${name}.key`);
    await request(name, certFile, keyFile, '-CA', caFile, '-CAkey', caKeyFile, ...others);
    return {
      certFile,
      keyFile,
      cert: await readFile(certFile, 'utf8'),
      key: await readFile(keyFile, 'utf8'),
    };
  };
  const ofServer = ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:server.test'];
  const notAuthority = ['-addext', 'basicConstraints=critical,CA:FALSE'];
  await request('authority', caFile, caKeyFile, '-nodes');
  const [server, client] = await Promise.all([
    signed('server', '-nodes', ...ofServer, ...notAuthority),
    signed('client', '-passout', `pass:${passphrase}`, ...notAuthority),
  ]);
  return {
    caFile,
    ca: await readFile(caFile, 'utf8'),
    server,
    client: { ...client, passphrase },
    remove: closeAtEndOfFile(() => rm(folder, { recursive: true })),
  };
}
