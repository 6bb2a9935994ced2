import { expect } from 'chai';

import type { RunningRole } from '../../../../shared/runtime/role.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { call, createClient, type Client } from '../../support/client.js';

describe('the health, readiness and metrics endpoints', () => {
  let account: TestAccount;
  let api: RunningRole;
  let address: string;
  let live: Client;
  let test: Client;
  // No other test sends requests to this API, so its metrics count the requests below alone.
  before(async () => {
    account = await openAccount();
    api = await startAnotherApi(account.service);
    ({ address } = api);
    live = createClient(address, account.liveKey);
    test = createClient(address, account.testKey);
  });

  it('report that the process is alive', async () => {
    const { status, text } = await call(address, '/healthz');
    expect([status, text]).to.deep.equal([200, '{"status":"ok"}']);
  });

  it('report the state of each dependency', async () => {
    // A slow machine may need more than the time that each of the checks has.
    const text = await eventually('readiness', async () => {
      const response = await call(address, '/readyz');
      return response.status === 200 ? response.text : null;
    });
    expect(JSON.parse(text)).to.deep.equal({
      ready: true,
      checks: {
        kafka: 'ok',
        mongodb: 'ok',
        redis: 'ok',
        'model accounts': 'ok',
        'model webhooks': 'ok',
        'model events': 'ok',
        'model accountKeys': 'ok',
        'model attempts': 'ok',
        'model audit': 'ok',
        'model eventTypes': 'ok',
        'event types': 'ok',
        'model tenants': 'ok',
        'model stats': 'ok',
        'model replays': 'ok',
        'accounts of now': 'ok',
        'webhooks of now': 'ok',
        'account keys': 'ok',
        running: 'ok',
      },
    });
  });

  it('return metrics in the text format of Prometheus', async () => {
    expect((await call(address, '/metrics')).headers['content-type']).to.match(
      /^text\/plain; version=0\.0\.4/,
    );
  });

  /** The value of a metric with these labels, or 0 if it does not exist yet. */
  const valueOf = async (metric: string): Promise<number> => {
    const { text } = await call(address, '/metrics');
    const line = text.split('\n').find((candidate) => candidate.startsWith(metric));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  /** Waits until a metric has the value. The API may measure a request after the client has read the response. */
  const counts = (metric: string, value: number) =>
    eventually(`the value of ${metric}`, async () => ((await valueOf(metric)) === value ? true : null));

  it('count accepted events by mode', async () => {
    const metric = 'postrider_events_accepted_total{mode="test"}';
    const earlier = await valueOf(metric);
    await test.postJson('/v1/events', { type: 'a', data: {} });
    await counts(metric, earlier + 1);
  });

  const requests: readonly [label: string, send: () => Promise<unknown>][] = [
    ['route="/v1/events/:id",method="GET",status="404"', () => live.get('/v1/events/evt_1')],
    [
      'route="/v1/events",method="POST",status="201"',
      () => live.postJson('/v1/events', { type: 'a', data: {} }),
    ],
    ['route="none",method="GET",status="404"', () => call(address, '/made/up')],
    ['route="none",method="DELETE",status="405"', () => call(address, '/healthz', { method: 'DELETE' })],
    ['route="/v1/webhooks",method="GET",status="401"', () => call(address, '/v1/webhooks')],
  ];
  for (const [label, send] of requests) {
    it(`measure requests with ${label}`, async () => {
      const metric = `postrider_http_request_duration_seconds_count{${label}}`;
      const earlier = await valueOf(metric);
      await send();
      await counts(metric, earlier + 1);
    });
  }
});
