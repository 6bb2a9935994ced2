import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

import { messageOf } from '../../shared/core/errors.js';

/** The variable with the address of the resource server, in the environment of every process that runs tests. */
const variable = 'TEST_RESOURCES';

export interface ResourceServer {
  readonly close: () => Promise<void>;
}

/**
 * Opens the server of the resources that all tests share. Mocha runs test files in several processes, which request the resources there.
 * @param offers starts a shared resource by its name, and returns its address as JSON. It is called once for each resource, at the
 *   first request
 */
export async function openResourceServer(
  offers: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<ResourceServer> {
  const started = new Map<string, Promise<unknown>>();
  const answer = (name: string): Promise<unknown> => {
    const known = started.get(name) ?? offers[name]?.() ?? Promise.reject(new Error('no process offers it'));
    started.set(name, known);
    return known;
  };
  const server = createServer((request, response) => {
    void answer(request.url?.slice(1) ?? '')
      .catch((error: unknown) => {
        response.statusCode = 500;
        return messageOf(error);
      })
      .then((result) => response.end(JSON.stringify(result)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  Object.assign(process.env, { [variable]: `http://127.0.0.1:${port}` });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/**
 * Requests a resource that all tests share.
 * @throws Error if it could not be started
 */
export async function requestResource<Shared>(name: string): Promise<Shared> {
  const address = addressIn(process.env);
  if (address === undefined) {
    throw new Error('tests are run by mocha, with the hooks in test/support/hooks.ts');
  }
  const response = await fetch(`${address}/${name}`, { headers: { connection: 'close' } });
  const answer: unknown = await response.json();
  if (!response.ok) {
    throw new Error(`${name} is not available to the tests: ${String(answer)}`);
  }
  return answer as Shared;
}

function addressIn(environment: NodeJS.ProcessEnv): string | undefined {
  return environment[variable];
}
