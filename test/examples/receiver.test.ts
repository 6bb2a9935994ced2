import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';
import getPort from 'get-port';

import { secretBytes, signatureHeaders } from '../../shared/domain/webhooks/signature.js';

const example = fileURLToPath(new URL('../../examples/receiver.mjs', import.meta.url));
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const event = { id: 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV', type: 'order.completed', data: { orderId: 'ord_1' } };
const body = Buffer.from(JSON.stringify(event));

describe('examples/receiver.mjs', () => {
  let child: ChildProcess;
  let printed: string;

  const run = (args: readonly string[], variables: Record<string, string> = {}): void => {
    printed = '';
    child = spawn(process.execPath, [example, ...args], { env: { ...process.env, ...variables } });
    for (const output of [child.stdout, child.stderr]) {
      output?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    }
  };
  const hasPrinted = async (text: string): Promise<void> => {
    while (!printed.includes(text)) {
      await once(child.stdout ?? child, 'data', { signal: AbortSignal.timeout(20_000) });
    }
  };
  const listening = async (args: readonly string[], variables?: Record<string, string>): Promise<string> => {
    const port = await getPort({ host: '127.0.0.1' });
    run([...args, String(port)], variables);
    await hasPrinted('Waiting for events');
    return `http://127.0.0.1:${port}/`;
  };
  const post = async (url: string, key: Buffer): Promise<number> => {
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const headers = { ...signatureHeaders({ id: event.id, timestampSeconds, body, secrets: [key] }) };
    const { status } = await fetch(url, { method: 'POST', body, headers });
    return status;
  };

  afterEach(async () => {
    if (child.exitCode === null) {
      child.kill();
      await once(child, 'exit');
    }
  });

  it('prints an event that is signed with its secret', async () => {
    const url = await listening([secret]);

    expect(await post(url, secretBytes(secret))).to.equal(204);
    await hasPrinted("order.completed evt_01ARZ3NDEKTSV4RRFFQ69G5FAV { orderId: 'ord_1' }");
  });

  it('rejects an event that is signed with another secret', async () => {
    const url = await listening([secret]);

    expect(await post(url, Buffer.from('another secret, 24 bytes'))).to.equal(400);
    expect(printed).to.not.include(event.id);
  });

  it('continues after a request without a signature', async () => {
    const url = await listening([secret]);

    expect((await fetch(url)).status).to.equal(400);
    expect(await post(url, secretBytes(secret))).to.equal(204);
  });

  for (const [what, args] of Object.entries({ 'no secret': [], 'an invalid secret': ['whsec_a'] })) {
    it(`prints its usage if it gets ${what}`, async () => {
      run(args, { WEBHOOK_SECRET: '' });
      const [exitCode] = (await once(child, 'close')) as unknown[];

      expect(exitCode).to.equal(1);
      expect(printed).to.match(/^Usage: node examples\/receiver\.mjs whsec_/);
    });
  }

  it('reads its secret from the environment too', async () => {
    run([], { WEBHOOK_SECRET: secret });
    await Promise.race([hasPrinted('4000'), once(child, 'close')]);

    expect(printed).to.include('4000');
  });

  it('names a port that is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    run([secret, String(port)]);
    const [exitCode] = (await once(child, 'close')) as unknown[];
    server.close();

    expect(exitCode).to.equal(1);
    expect(printed).to.equal(
      `Cannot listen on port ${port} (EADDRINUSE). Pass another port after the secret.\n`,
    );
  });
});
