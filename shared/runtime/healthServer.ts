import { createServer, type ServerResponse } from 'node:http';

import type { Config } from '../settings/config.js';
import type { Releasers } from './lifecycle.js';
import { listen, type ListenAddress } from './listen.js';
import type { Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';

export interface HealthDependencies {
  readonly readiness: Readiness;
  readonly metrics: Metrics;
  /**
   * The releasers that close the ports. The ports are registered first, so that they stay open until the process ends.
   */
  readonly releasers: Releasers;
}

interface HealthPort extends ListenAddress {
  readonly readiness: Readiness;
  /** The metrics that the port serves; null if another port serves the metrics and the details of readiness. */
  readonly metrics: Metrics | null;
}

type HttpSettings = Pick<Config['http'], 'host' | 'port' | 'metricsPort'>;

/**
 * Opens the ports of a role without an HTTP interface: `/healthz`, `/readyz` and `/metrics` on one port, or metrics and
 * details on a separate port.
 * @throws if a port is taken
 */
export async function openHealthPorts(
  http: HttpSettings,
  dependencies: HealthDependencies,
): Promise<{ readonly address: string; readonly metricsAddress: string }> {
  const metricsAddress = await openMetricsPort(http, dependencies);
  const { readiness, metrics, releasers } = dependencies;
  const own = { ...http, readiness, metrics: metricsAddress === null ? metrics : null };
  const address = await openPort('health port', own, releasers);
  return { address, metricsAddress: metricsAddress ?? address };
}

/**
 * Opens the port for metrics and the details of readiness.
 * @returns the address of the port; null if metrics have no separate port
 * @throws if the port is taken
 */
export async function openMetricsPort(
  { host, metricsPort: port }: HttpSettings,
  { readiness, metrics, releasers }: HealthDependencies,
): Promise<string | null> {
  return port === null
    ? null
    : openPort(
        'metrics port',
        { host, port, setting: 'POSTRIDER_METRICS_PORT', readiness, metrics },
        releasers,
      );
}

async function openPort(name: string, port: HealthPort, releasers: Releasers): Promise<string> {
  const server = createServer((request, response) => {
    answer(request.url ?? '', response, port).catch(() => {
      response.writeHead(500).end();
    });
  });
  const address = await listen(server, port);
  releasers.add(
    name,
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  return address;
}

async function answer(
  path: string,
  response: ServerResponse,
  { readiness, metrics }: HealthPort,
): Promise<void> {
  const route = path.split('?', 1)[0];
  if (route === '/healthz') {
    sendJson(response, 200, { status: 'ok' });
  } else if (route === '/readyz') {
    const report = await readiness.read();
    sendJson(response, report.ready ? 200 : 503, metrics === null ? { ready: report.ready } : report);
  } else if (route === '/metrics' && metrics !== null) {
    response.writeHead(200, { 'content-type': metrics.contentType }).end(await metrics.text());
  } else {
    const paths = metrics === null ? '/healthz and /readyz' : '/healthz, /readyz and /metrics';
    sendJson(response, 404, { error: `This port of the process serves only ${paths}.` });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
