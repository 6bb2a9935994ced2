import { expect } from 'chai';

import { transform } from '../../../consumers/preparation/transform.js';
import { createSandbox } from '../../../shared/sandbox/sandbox.js';
import { hostileCode } from '../../shared/sandbox/events.js';

const url = 'https://example.com/hook?a=1';

const data = '{ "amount": 12345678901234567890, "name": "ü\\u00fc" }';

const content = {
  id: 'evt_1',
  type: 'order.completed',
  created: new Date('2026-01-01T10:00:00.000Z'),
  tenantId: 'customer',
  data: Buffer.from(data),
};

describe('the transformation of an attempt', () => {
  const sandbox = createSandbox();

  after(() => sandbox.stop());

  const run = (code: string, webhookId = 'wh_1') =>
    transform(sandbox, { owner: { accountId: 'acct_1', tenantId: null, webhookId }, code, url }, content);

  it('sends the original bytes if the code returns the data unchanged', async () => {
    expect(await run('export default (event) => event;')).to.deep.equal({
      outcome: 'transformed',
      url,
      data: content.data,
    });
  });

  it('gives the code all members of the event, and sends the changed data', async () => {
    const result = await run(
      'export default ({ id, type, timestamp, tenantId, url }) => ({ data: { id, type, timestamp, tenantId, url } });',
    );
    expect(result.outcome === 'transformed' && JSON.parse(result.data.toString())).to.deep.equal({
      ...{ id: 'evt_1', type: 'order.completed', timestamp: '2026-01-01T10:00:00.000Z' },
      ...{ tenantId: 'customer', url },
    });
  });

  it('skips the event if the code returns null', async () => {
    expect(await run('export default () => null;')).to.deep.equal({ outcome: 'skipped' });
  });

  for (const [changed, sent] of [
    ['https://EXAMPLE.com:443/orders/1?b=2', 'https://example.com/orders/1?b=2'],
    ['https://example.com\\\\@127.0.0.1/hook', 'https://example.com/@127.0.0.1/hook'],
  ] as const) {
    it(`sends to ${sent} if the code returns ${changed}`, async () => {
      const code = `export default (event) => ({ ...event, url: '${changed}' });`;
      expect(await run(code)).to.deep.equal({ outcome: 'transformed', url: sent, data: content.data });
    });
  }

  for (const other of [
    'http://example.com/hook',
    'https://example.com:8443/hook',
    'https://example.com@127.0.0.1/hook',
    'https://user:word@example.com/hook',
    '//127.0.0.1/hook',
    '/hook',
    'javascript:1',
    '',
  ]) {
    it(`fails the attempt if the code returns the URL '${other}'`, async () => {
      const result = await run(`export default (event) => ({ ...event, url: '${other}' });`);
      expect(result).to.deep.equal({
        outcome: 'failed',
        message: 'The code may change only the path and the query of `url`.',
      });
    });
  }

  for (const [name, { code, failure }] of Object.entries(hostileCode)) {
    it(`fails the attempt of code with ${name}, and serves the neighbor`, async () => {
      const hostile = run(code, `wh_${failure}_${name}`);
      const neighbor = run('export default (event) => event;');
      expect(await hostile).to.have.property('outcome', 'failed');
      expect(await neighbor).to.have.property('outcome', 'transformed');
    }).timeout(30_000);
  }

  it('passes no state from one call to the next', async () => {
    const code =
      'export default () => { globalThis.calls = (globalThis.calls ?? 0) + 1; return { data: { calls } }; };';
    for (let call = 0; call < 3; call += 1) {
      const result = await run(code);
      expect(result.outcome === 'transformed' && result.data.toString()).to.equal('{"calls":1}');
    }
  });
});
