import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { expect } from 'chai';
import Koa from 'koa';

import { commonHeadersOf } from '../../../api/app.js';
import { readPageFiles } from '../../../api/dashboard/pageFiles.js';
import { dashboardRoutes } from '../../../api/dashboard/routes.js';
import type { RequestState } from '../../../api/http/context.js';
import { createRequestIds } from '../../../api/middleware/observability.js';
import { createRouting } from '../../../api/routing.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { sharedService } from '../../support/service.js';
import { call, errorOf, refusalOf } from '../support/client.js';
import { unusedSteps } from '../support/unusedSteps.js';

const page = '<!doctype html><title>Postrider</title>';
const files: Readonly<Record<string, string>> = {
  'index.html': page,
  'favicon.svg': '<svg/>',
  'assets/index-4f2a.js': 'start();',
  'assets/index-77aa.css': 'a { color: red; }',
  'assets/deep/font-1.woff2': 'font',
};

/** The compressed files that the build writes next to a script. */
const script = 'assets/index-4f2a.js';
const compressed: Readonly<Record<string, Buffer>> = {
  [`${script}.br`]: brotliCompressSync('start();'),
  [`${script}.gz`]: gzipSync('start();'),
};

const endingOf = { br: 'br', gzip: 'gz' } as const;

describe('the dashboard under /dashboard', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-page-'));
    for (const [path, content] of Object.entries({ ...files, ...compressed })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  describe('with a built page', () => {
    let server: Server;
    let address: string;
    before(async () => {
      ({ server, address } = await serve(folder));
    });
    after((done) => {
      server.close(done);
    });

    it('is served at each path of its pages, with headers that forbid frames, inline scripts and stale copies', async () => {
      for (const path of [
        '',
        '/',
        '/events',
        '/events/evt_1',
        '/index.html',
        '/%2e%2e/package.json',
        '//etc/passwd',
      ]) {
        const { status, headers, text } = await call(address, `/dashboard${path}`);
        const policy = String(headers['content-security-policy']);
        expect([status, headers['content-type'], headers['cache-control'], text], path).to.deep.equal([
          200,
          'text/html; charset=utf-8',
          'no-cache',
          page,
        ]);
        expect([
          policy.includes("frame-ancestors 'none'"),
          policy.includes('unsafe'),
          headers['x-content-type-options'],
          headers['referrer-policy'],
        ]).to.deep.equal([true, false, 'nosniff', 'no-referrer']);
      }
    });

    it('lets caches store files whose name contains a hash of their content, and revalidate others', async () => {
      for (const [path, type, control] of [
        ['assets/index-4f2a.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
        ['assets/index-77aa.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
        ['assets/deep/font-1.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
        ['favicon.svg', 'image/svg+xml', 'no-cache'],
      ] as const) {
        const { headers, text } = await call(address, `/dashboard/${path}`);
        expect([headers['content-type'], headers['cache-control'], text]).to.deep.equal([
          type,
          control,
          files[path],
        ]);
      }
    });

    it('answers 304 to a client that has the current page, and answers HEAD', async () => {
      const { headers } = await call(address, '/dashboard');
      const again = await call(address, '/dashboard', { headers: { 'if-none-match': headers.etag ?? '' } });
      const head = await call(address, '/dashboard/x', { method: 'HEAD' });
      expect([again.status, again.text]).to.deep.equal([304, '']);
      expect([head.status, head.headers['content-length'], head.text]).to.deep.equal([
        200,
        String(page.length),
        '',
      ]);
    });

    it('rejects other methods', async () => {
      for (const [method, path] of [
        ['POST', '/dashboard'],
        ['OPTIONS', '/dashboard/'],
        ['DELETE', '/dashboard/assets/index-4f2a.js'],
      ] as const) {
        const response = await call(address, path, { method });
        expect([refusalOf(response), response.headers.allow]).to.deep.equal([
          '405 method_not_allowed',
          'GET, HEAD',
        ]);
      }
    });

    it('answers 404 for a file that it does not contain', async () => {
      for (const path of [
        'other.js',
        '',
        '../../package.json',
        '%2e%2e/%2e%2e/package.json',
        '..%2f..%2fpackage.json',
        '__proto__',
      ]) {
        expect(refusalOf(await call(address, `/dashboard/assets/${path}`)), path).to.equal(
          '404 route_not_found',
        );
      }
    });
  });

  describe('with compressed files next to it', () => {
    let server: Server;
    let address: string;
    before(async () => {
      ({ server, address } = await serve(folder));
    });
    after((done) => {
      server.close(done);
    });

    it('is sent in the coding that the client accepts', async () => {
      for (const [accepted, coding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0, gzip', 'gzip'],
        ['deflate', undefined],
      ] as const) {
        const headers = { 'accept-encoding': accepted };
        const response = await call(address, `/dashboard/${script}`, { headers });
        const file = coding === undefined ? files[script] : compressed[`${script}.${endingOf[coding]}`];
        expect([
          response.headers['content-encoding'],
          response.headers.vary,
          response.headers['content-length'],
          response.headers['content-type'],
        ]).to.deep.equal([coding, 'Accept-Encoding', String(file?.length), 'text/javascript; charset=utf-8']);
      }
    });

    it('has its own ETag for each encoding', async () => {
      const accepted = { 'accept-encoding': 'br' };
      const plain = await call(address, `/dashboard/${script}`);
      const first = await call(address, `/dashboard/${script}`, { headers: accepted });
      const again = await call(address, `/dashboard/${script}`, {
        headers: { ...accepted, 'if-none-match': first.headers.etag ?? '' },
      });
      expect([first.headers.etag === plain.headers.etag, again.status]).to.deep.equal([false, 304]);
    });

    it('serves no compressed file by its own path', async () => {
      expect(refusalOf(await call(address, `/dashboard/${script}.br`))).to.equal('404 route_not_found');
    });
  });

  it('answers 404 with the build command if the page was not built', async () => {
    const { server, address } = await serve(join(folder, 'nothing'));
    try {
      const responses = [await call(address, '/dashboard'), await call(address, '/dashboard/assets/a.js')];
      expect(responses.map((response) => [response.status, errorOf(response).message])).to.deep.equal(
        responses.map(() => [
          404,
          'This installation of Postrider contains no dashboard. Run "npm run build" and restart the API.',
        ]),
      );
    } finally {
      server.close();
    }
  });

  it('is a route of the API that the OpenAPI document leaves out', async () => {
    const { address } = await sharedService();
    expect((await call(address, '/dashboard', { method: 'POST' })).headers.allow).to.equal('GET, HEAD');
    expect((await call(address, '/openapi.json')).text).not.to.contain('"/dashboard');
  });
});

async function serve(folder: string): Promise<{ server: Server; address: string }> {
  const koa = new Koa<RequestState>();
  koa.use(createRequestIds(createIdentifiers(Math.random), () => new Date(), commonHeadersOf('http://x')));
  const files = await readPageFiles(folder);
  createRouting(dashboardRoutes(files), unusedSteps).install(koa);
  const handle = koa.callback();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
