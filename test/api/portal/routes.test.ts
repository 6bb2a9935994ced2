import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect } from 'chai';
import Koa from 'koa';

import { commonHeadersOf } from '../../../api/app.js';
import type { PageFile } from '../../../api/dashboard/pageFiles.js';
import type { RequestState } from '../../../api/http/context.js';
import { createRequestIds } from '../../../api/middleware/observability.js';
import { createPortalPages } from '../../../api/portal/portalPages.js';
import { portalRoutes } from '../../../api/portal/routes.js';
import { createRouting } from '../../../api/routing.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { defaultPortalSettings } from '../../../shared/domain/accounts/portalSettings.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { call, errorOf, refusalOf } from '../support/client.js';
import { accountOf } from '../support/members.js';
import { unusedSteps } from '../support/unusedSteps.js';

const file = (content: string, contentType: string): PageFile => ({
  content: Buffer.from(content),
  encodings: {},
  contentType,
  tag: '"tag"',
});

const page = '<!doctype html><head><meta name="postrider-portal" content=""></head>';
const script = 'assets/index-4f2a.js';
const files = new Map([
  ['index.html', file(page, 'text/html')],
  [script, file('start();', 'text/javascript; charset=utf-8')],
]);

const accountId = 'acct_01M7YDPTQM04NT3X3AX52TZD0R';
const hostile = '"><script>alert(1)</script>&\'';
const portal = {
  name: hostile,
  logoUrl: 'https://cdn.example.com/logo.svg?a=1',
  accentColor: '#0a7d55',
  colorScheme: 'dark',
  origins: ['https://shop.example.com', 'http://localhost:3000'],
} as const;

type FindAccounts = Parameters<typeof createPortalPages>[0]['findByIds'];

const findAccounts: FindAccounts = (_accountId, ids) =>
  Promise.resolve({
    documents: ids.includes(accountId) ? [{ ...accountOf(1), _id: accountId, portal }] : [],
    meta: { _id: 'meta', version: 1, positions: {}, target: {}, complete: true },
  });

/** The page under /portal with the given files. */
async function serve(
  served: ReadonlyMap<string, PageFile>,
  findByIds = findAccounts,
): Promise<{ server: Server; address: string }> {
  const pages = createPortalPages({ findByIds }, () => performance.now());
  const routing = createRouting(portalRoutes(served, pages), unusedSteps);
  const koa = new Koa<RequestState>();
  koa.use(createRequestIds(createIdentifiers(Math.random), () => new Date(), commonHeadersOf('http://a')));
  routing.install(koa);
  const handle = koa.callback();
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, address: `http://127.0.0.1:${String(port)}` };
}

describe('the customer portal under /portal', () => {
  let server: Server;
  let address: string;
  before(async () => {
    ({ server, address } = await serve(files));
  });
  after((done) => {
    server.close(done);
  });

  const policyOf = async (path: string) =>
    String((await call(address, path)).headers['content-security-policy']).split('; ');

  it('contains the settings of the account as text', async () => {
    const { status, headers, text } = await call(address, `/portal/${accountId}`);
    const [, content = ''] = /<meta name="postrider-portal" content="([^"]*)" \/>/.exec(text) ?? [];
    const decoded = content
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
    expect([status, headers['content-type'], text.includes('<script>'), JSON.parse(decoded)]).to.deep.equal([
      200,
      'text/html; charset=utf-8',
      false,
      portal,
    ]);
  });

  it('can be embedded only by the origins of the account, and loads images only from the host of the logo', async () => {
    expect(await policyOf(`/portal/${accountId}`)).to.include.members([
      'frame-ancestors https://shop.example.com http://localhost:3000',
      "img-src 'self' data: https://cdn.example.com",
    ]);
    const policies = [await policyOf(`/portal/${accountId}`), await policyOf(`/portal/${script}`)];
    expect(policies.flat().filter((directive) => directive.includes('unsafe'))).to.deep.equal([]);
  });

  it('permits its embedding, also in pages that isolate themselves', async () => {
    const { headers } = await call(address, `/portal/${accountId}`);
    expect([
      headers['cross-origin-resource-policy'],
      headers['cross-origin-embedder-policy'],
      headers['referrer-policy'],
      headers['cache-control'],
    ]).to.deep.equal(['cross-origin', undefined, 'no-referrer', 'no-store']);
  });

  it('has default settings and cannot be embedded for an unknown account', async () => {
    for (const id of ['acct_01HZZZZZZZZZZZZZZZZZZZZZZZ', 'x', '%22%3E']) {
      const { status, text } = await call(address, `/portal/${id}`);
      const content = JSON.stringify(defaultPortalSettings).replaceAll('"', '&quot;');
      expect([status, text.includes(content)], id).to.deep.equal([200, true]);
      expect(await policyOf(`/portal/${id}`)).to.include("frame-ancestors 'none'");
    }
  });

  it('is a page, with default settings, also while the accounts cannot be read', async () => {
    const broken = await serve(files, () => Promise.reject(new UnavailableError('no answer')));
    const { status, headers, text } = await call(broken.address, `/portal/${accountId}`);
    broken.server.close();
    const content = JSON.stringify(defaultPortalSettings).replaceAll('"', '&quot;');
    expect([status, headers['content-type'], text.includes(content)]).to.deep.equal([
      200,
      'text/html; charset=utf-8',
      true,
    ]);
    expect(headers['content-security-policy']).to.contain("frame-ancestors 'none'");
  });

  it('lets caches store its files', async () => {
    const { headers, text } = await call(address, `/portal/${script}`);
    expect([text, headers['cache-control']]).to.deep.equal([
      'start();',
      'public, max-age=31536000, immutable',
    ]);
  });

  it('answers 404 at other paths', async () => {
    for (const path of ['/portal', '/portal/', '/portal/a/b', '/portal/assets/other.js', '/portal/assets/']) {
      expect(refusalOf(await call(address, path)), path).to.equal('404 route_not_found');
    }
  });

  it('names the missing build', async () => {
    const unbuilt = await serve(new Map());
    const response = await call(unbuilt.address, `/portal/${accountId}`);
    unbuilt.server.close();
    expect(errorOf(response).message).to.contain('npm run build');
  });
});
