import getPort from 'get-port';
import { expect } from 'chai';

import { openHealthPorts, openMetricsPort } from '../../../shared/runtime/healthServer.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import { createReadiness } from '../../../shared/runtime/readiness.js';
import { createOpened } from '../../support/opened.js';

const host = '127.0.0.1';
const notServed = (paths: string) => ({ error: `This port of the process serves only ${paths}.` });

describe('the health server', () => {
  const opened = createOpened();
  afterEach(() => opened.releaseAll());

  async function open(metricsPort: number | null) {
    const readiness = createReadiness();
    const dependencies = { readiness, metrics: createMetrics(), releasers: opened };
    return { readiness, ...(await openHealthPorts({ host, port: 0, metricsPort }, dependencies)) };
  }

  const get = async (address: string, path: string) => {
    const response = await fetch(`${address}${path}`);
    const isJson = response.headers.get('content-type') === 'application/json';
    return { status: response.status, body: isJson ? await response.json() : await response.text() };
  };

  it('serves health, readiness with its details, and metrics on one port', async () => {
    const { address, metricsAddress } = await open(null);
    expect(metricsAddress).to.equal(address);
    expect(await get(address, '/healthz')).to.deep.equal({ status: 200, body: { status: 'ok' } });
    expect(await get(address, '/readyz?verbose')).to.deep.equal({
      status: 503,
      body: { ready: false, checks: { running: 'starting' } },
    });
    expect((await get(address, '/metrics')).body).to.include('postrider_attempts_in_flight');
    expect(await get(address, '/else')).to.deep.equal({
      status: 404,
      body: notServed('/healthz, /readyz and /metrics'),
    });
  });

  it('serves metrics and details only on their own port, if one is configured', async () => {
    const { address, metricsAddress, readiness } = await open(await getPort({ host }));
    readiness.begin({ required: [] });
    expect(await get(address, '/healthz')).to.deep.equal({ status: 200, body: { status: 'ok' } });
    expect(await get(address, '/readyz')).to.deep.equal({ status: 200, body: { ready: true } });
    expect(await get(address, '/metrics')).to.deep.equal({
      status: 404,
      body: notServed('/healthz and /readyz'),
    });
    expect((await get(metricsAddress, '/readyz')).body).to.deep.equal({
      ready: true,
      checks: { running: 'ok' },
    });
    expect((await get(metricsAddress, '/metrics')).body).to.include('postrider_attempts_in_flight');
  });

  it('names the setting if the port for metrics is in use', async () => {
    const { address } = await open(null);
    const metricsPort = Number(new URL(address).port);
    const dependencies = { readiness: createReadiness(), metrics: createMetrics(), releasers: opened };
    const failure = await openMetricsPort({ host, port: 0, metricsPort }, dependencies).catch(String);
    expect(failure).to.match(/ is in use: .* set POSTRIDER_METRICS_PORT to another port$/);
  });
});
