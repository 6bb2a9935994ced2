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

    for (const path of [
      '/dashboard',
      '/dashboard/',
      '/dashboard/events',
      '/dashboard/events/evt_1',
      '/dashboard/index.html',
    ]) {
      it(`is served at ${path}`, async () => {
        const { status, headers, text } = await call(address, path);
        expect([status, headers['content-type'], headers['cache-control'], text]).to.deep.equal([
          200,
          'text/html; charset=utf-8',
          'no-cache',
          page,
        ]);
      });
    }

    for (const [path, type] of [
      ['assets/index-4f2a.js', 'text/javascript; charset=utf-8'],
      ['assets/index-77aa.css', 'text/css; charset=utf-8'],
      ['assets/deep/font-1.woff2', 'font/woff2'],
    ] as const) {
      it(`lets caches store ${path}, whose name contains a hash of its content`, async () => {
        const { headers, text } = await call(address, `/dashboard/${path}`);
        expect([headers['content-type'], headers['cache-control'], text]).to.deep.equal([
          type,
          'public, max-age=31536000, immutable',
          files[path],
        ]);
      });
    }

    it('makes caches revalidate a file whose name contains no hash', async () => {
      const { headers } = await call(address, '/dashboard/favicon.svg');
      expect([headers['content-type'], headers['cache-control']]).to.deep.equal([
        'image/svg+xml',
        'no-cache',
      ]);
    });

    it('answers 304 to a client that has the current page', async () => {
      const { headers } = await call(address, '/dashboard');
      const again = await call(address, '/dashboard', { headers: { 'if-none-match': headers.etag ?? '' } });
      expect([again.status, again.text]).to.deep.equal([304, '']);
    });

    for (const path of ['/dashboard', '/dashboard/assets/index-4f2a.js']) {
      it(`forbids frames and inline scripts at ${path}`, async () => {
        const { headers } = await call(address, path);
        const policy = String(headers['content-security-policy']);
        expect([
          policy.includes("frame-ancestors 'none'"),
          policy.includes('unsafe'),
          headers['x-content-type-options'],
          headers['referrer-policy'],
        ]).to.deep.equal([true, false, 'nosniff', 'no-referrer']);
      });
    }

    it('answers HEAD', async () => {
      const { status, headers, text } = await call(address, '/dashboard/x', { method: 'HEAD' });
      expect([status, headers['content-length'], text]).to.deep.equal([200, String(page.length), '']);
    });

    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      for (const path of ['/dashboard', '/dashboard/', '/dashboard/assets/index-4f2a.js']) {
        it(`rejects ${method} at ${path}`, async () => {
          const response = await call(address, path, { method });
          expect([refusalOf(response), response.headers.allow]).to.deep.equal([
            '405 method_not_allowed',
            'GET, HEAD',
          ]);
        });
      }
    }

    for (const path of [
      'assets/other.js',
      'assets/',
      'assets/../../package.json',
      'assets/%2e%2e/%2e%2e/package.json',
      'assets/..%2f..%2fpackage.json',
      'assets/__proto__',
    ]) {
      it(`answers 404 at ${path}`, async () => {
        expect(refusalOf(await call(address, `/dashboard/${path}`))).to.equal('404 route_not_found');
      });
    }

    for (const path of ['../package.json', '%2e%2e/package.json', '..%2fpackage.json', '/etc/passwd']) {
      it(`serves only the page at ${path}`, async () => {
        expect((await call(address, `/dashboard/${path}`)).text).to.equal(page);
      });
    }
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

    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['deflate', undefined],
    ] as const) {
      it(`is sent ${coding ?? 'uncompressed'} to a client that accepts ${accepted}`, async () => {
        const headers = { 'accept-encoding': accepted };
        const response = await call(address, `/dashboard/${script}`, { headers });
        const file = coding === undefined ? files[script] : compressed[`${script}.${endingOf[coding]}`];
        expect([
          response.headers['content-encoding'],
          response.headers.vary,
          response.headers['content-length'],
          response.headers['content-type'],
        ]).to.deep.equal([coding, 'Accept-Encoding', String(file?.length), 'text/javascript; charset=utf-8']);
      });
    }

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

  it('is one route of the API', async () => {
    const { address } = await sharedService();
    expect((await call(address, '/dashboard', { method: 'POST' })).headers.allow).to.equal('GET, HEAD');
  });

  it('is not described in the OpenAPI document', async () => {
    const { address } = await sharedService();
    expect((await call(address, '/openapi.json')).text).not.to.contain('"/dashboard');
  });
});

async function serve(folder: string): Promise<{ server: Server; address: string }> {
  const unused = () => Promise.reject(new Error('these routes have no such step'));
  const koa = new Koa<RequestState>();
  koa.use(createRequestIds(createIdentifiers(Math.random), () => new Date(), commonHeadersOf('http://x')));
  const files = await readPageFiles(folder);
  createRouting(dashboardRoutes(files), {
    authentication: unused,
    rateLimit: unused,
    authorization: unused,
    unsentBytesLimit: (_context, next) => next(),
    jsonBody: () => unused,
    eventBodies: { single: unused, batch: unused },
    compression: unused,
    clientOf: () => ({
      trace: { network: '', userAgent: null },
      cookies: undefined,
      sessionValue: null,
      lastEventId: null,
      isStillAuthorized: unused,
    }),
    idempotency: { run: unused },
  }).install(koa);
  const handle = koa.callback();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
