import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { listen } from './listen.js';
import type { Metrics } from './metrics.js';
import { readinessOf, type ReadinessCheck } from './role.js';

export interface HealthServer {
  readonly address: string;
  close: () => Promise<void>;
}

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  readonly checks: readonly ReadinessCheck[];
  readonly metrics: Metrics;
}

/** Answers `/healthz`, `/readyz` and `/metrics` for a role that has no HTTP interface of its own. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(request.url ?? '', response, options).catch(() => {
      response.writeHead(500).end();
    });
  });
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function answer(
  path: string,
  response: ServerResponse,
  { checks, metrics }: HealthServerOptions,
): Promise<void> {
  switch (path.split('?', 1)[0]) {
    case '/healthz':
      sendJson(response, 200, { status: 'ok' });
      return;
    case '/readyz': {
      const readiness = await readinessOf(checks);
      sendJson(response, readiness.ready ? 200 : 503, readiness);
      return;
    }
    case '/metrics':
      response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.text());
      return;
    default:
      sendJson(response, 404, { error: 'there is /healthz, /readyz and /metrics here' });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
