import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MongoClient } from 'mongodb';

import { obtainPrograms } from '../../../../stack/parts/programs.js';
import { startServerProcess } from '../../../../stack/processes/serverProcess.js';
import { createWatchdog } from '../../../../stack/processes/watchdog.js';
import { describeMachine } from '../../../../stack/system/machine.js';
import { isListening, loopback, withFreePorts } from '../../../../stack/system/ports.js';
import { until } from '../../../../stack/system/polling.js';
import type { Certificates } from '../../../support/certificates.js';

/** A mongod that requires TLS, a client certificate of the authority, and a password. */
export interface SecuredMongod {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

export async function startSecuredMongod(
  { ca, caFile, client, server }: Certificates,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<SecuredMongod> {
  const { mongod: program } = await obtainPrograms(describeMachine(process.env));
  const directory = await mkdtemp(join(tmpdir(), 'postrider-secured-mongod-'));
  const data = join(directory, 'data');
  const certificateFile = join(directory, 'server.pem');
  await mkdir(data);
  await writeFile(certificateFile, server.cert + server.key);
  const watchdog = createWatchdog();
  return withFreePorts(1, async ([port = 0]) => {
    const handle = await startServerProcess(
      {
        name: 'MongoDB with TLS',
        program,
        args: [
          ...['--bind_ip', loopback, '--port', String(port), '--nounixsocket', '--dbpath', data, '--auth'],
          ...['--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', certificateFile, '--tlsCAFile', caFile],
          ...['--wiredTigerCacheSizeGB', '0.25'],
        ],
        logFile: join(directory, 'mongod.log'),
        whenReady: async (_pid, signal) => {
          await until(() => isListening(port), { timeoutMs: Infinity, signal });
        },
      },
      { environment: process.env, watchdog },
    );
    // Without any user, a client of the same machine may create the first one.
    const first = new MongoClient(`mongodb://${loopback}:${port}/?directConnection=true`, {
      tls: true,
      ca,
      cert: client.cert,
      key: client.key,
      passphrase: client.passphrase,
    });
    await first.db('admin').command({ createUser: username, pwd: password, roles: ['root'] });
    await first.close();
    return {
      port,
      stop: async () => {
        await handle.kill();
        watchdog.close();
        await rm(directory, { recursive: true, force: true });
      },
    };
  });
}
