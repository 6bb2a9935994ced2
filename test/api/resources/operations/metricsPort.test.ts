import { expect } from 'chai';
import getPort from 'get-port';

import { startService, type TestService } from '../../../support/service.js';

describe('an API with a separate metrics port', () => {
  const host = '127.0.0.1';
  let service: TestService;
  let metricsAddress: string;
  before(async () => {
    const port = await getPort({ host });
    metricsAddress = `http://${host}:${port}`;
    // Without projections the API is unready, so the readiness has details.
    service = await startService({ POSTRIDER_METRICS_PORT: String(port) }, ['api']);
  });

  const get = async (address: string, path: string) => {
    const response = await fetch(`${address}${path}`);
    return { status: response.status, text: await response.text() };
  };

  it('shows clients whether it is ready, without details', async () => {
    expect(await get(service.address, '/readyz')).to.deep.equal({ status: 503, text: '{"ready":false}' });
  });

  it('neither shows nor describes metrics to clients', async () => {
    const { status, text } = await get(service.address, '/metrics');
    expect(status).to.equal(404);
    expect(text).to.include('route_not_found');
    const description = await get(service.address, '/openapi.json');
    expect(description.text).to.include('/readyz').and.not.to.include('/metrics');
  });

  it('serves metrics and the details of readiness on that port', async () => {
    const readiness = await get(metricsAddress, '/readyz');
    expect(readiness.status).to.equal(503);
    expect(readiness.text).to.include('"model events"');
    expect((await get(metricsAddress, '/metrics')).text).to.include('postrider_events_accepted_total');
  });
});
