import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { expect } from 'chai';

import { errorCodes, isErrorCode } from '../../../api/http/errorCodes.js';
import { sharedService } from '../../support/service.js';
import { call, errorOf, refusalOf, type Response } from '../support/client.js';

const pages = ['/docs', '/docs/errors', '/docs/errors/last_key'];
const paths = [
  ...pages,
  '/docs/style.css',
  '/docs/initializer.js',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
];

/** The directives of all pages, around those of each page. */
const policyOf = (directives: readonly string[]) =>
  [
    "default-src 'none'",
    ...directives,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const contentTypes = {
  'favicon-16x16.png': 'image/png',
  'favicon-32x32.png': 'image/png',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-bundle.js.LICENSE.txt': 'text/plain; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
};

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

describe('the documentation pages', () => {
  let address: string;
  let errors: string;
  const responses = new Map<string, Response>();

  before(async () => {
    ({ address } = await sharedService());
    for (const path of paths) {
      responses.set(path, await call(address, path));
    }
    errors = responses.get('/docs/errors')?.text ?? '';
  });

  for (const [name, contentType] of Object.entries(contentTypes)) {
    it(`serve ${name} of the package swagger-ui-dist unchanged`, async () => {
      const response = await fetch(`${address}/docs/${name}`);
      const expected = await readFile(join(folder, name));
      expect([response.status, response.headers.get('content-type')]).to.deep.equal([200, contentType]);
      expect(Buffer.from(await response.arrayBuffer()).equals(expected)).to.equal(true);
    });
  }

  for (const name of ['swagger-ui-bundle.js.map', 'swagger-ui.css.map', 'index.html', 'package.json']) {
    it(`do not serve ${name} of the package`, async () => {
      expect(refusalOf(await call(address, `/docs/${name}`))).to.equal('404 route_not_found');
    });
  }

  it('refer only to files that the API serves', async () => {
    const links = pages.flatMap((path) => [
      ...(responses.get(path)?.text ?? '').matchAll(/(?:src|href)="(\/[^"]+)"/g),
    ]);
    const served = await Promise.all(
      [...new Set(links.map(([, link = '']) => link))].map(async (link) => [
        link,
        (await call(address, link)).status,
      ]),
    );
    expect(served.filter(([, status]) => status !== 200)).to.deep.equal([]);
  });

  it('list each code with its status, and whether it is retryable, and have a page about it', async () => {
    for (const [code, { status, retryable }] of Object.entries(errorCodes)) {
      const shown = `${String(status)}${retryable ? ', retryable' : ''}`;
      expect(errors).to.match(
        new RegExp(`<dt>\\s*<a href="/docs/errors/${code}"><code>${code}</code></a> ${shown}\\s*</dt>`),
      );
      const { text } = await call(address, `/docs/errors/${code}`);
      expect(text)
        .to.contain(`<h1><code>${code}</code></h1>`)
        .and.to.contain(`<dd>${status} `)
        .and.to.contain(`<dd>${retryable ? 'Yes' : 'No'}.`);
    }
  });

  for (const path of paths) {
    it(`let a browser load nothing from other hosts at ${path}`, () => {
      const { headers } = responses.get(path) ?? {};
      const directives =
        path === '/docs'
          ? ["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"]
          : ["style-src 'self'", "img-src 'self'"];
      expect([
        headers?.['content-security-policy'],
        headers?.['x-content-type-options'],
        headers?.['referrer-policy'],
      ]).to.deep.equal([policyOf(directives), 'nosniff', 'no-referrer']);
    });

    it(`are answered with 304 if the client has the current ${path}`, async () => {
      const { etag = '' } = responses.get(path)?.headers ?? {};
      const again = await call(address, path, { headers: { 'if-none-match': etag } });
      expect([again.status, again.text]).to.deep.equal([304, '']);
    });

    it(`answer HEAD with the headers of GET at ${path}`, async () => {
      const head = await call(address, path, { method: 'HEAD' });
      expect([head.status, head.headers.etag, head.text]).to.deep.equal([
        200,
        responses.get(path)?.headers.etag,
        '',
      ]);
    });

    it(`reject POST at ${path}`, async () => {
      expect(refusalOf(await call(address, path, { method: 'POST' }))).to.equal('405 method_not_allowed');
    });
  }

  for (const path of pages) {
    it(`contain nothing that the policy would block at ${path}`, () => {
      expect(responses.get(path)?.text).not.to.match(
        /<script>|<style|<img|\sstyle=|\son\w+=|https?:\/\/[^<]*"|@import|url\(/,
      );
    });
  }

  for (const code of ['unknown', 'toString', '__proto__', '%3Cscript%3E']) {
    it(`answer 404 as JSON to the unknown code ${code}`, async () => {
      expect(refusalOf(await call(address, `/docs/errors/${code}`))).to.equal('404 resource_missing');
    });
  }

  for (const path of ['/nothing', '/v1/events', '/docs/errors/unknown']) {
    it(`are linked from the error of ${path}`, async () => {
      const refused = await call(address, path);
      const { code } = errorOf(refused);
      expect(isErrorCode(code) && refused.headers['link']).to.equal(`</docs/errors/${code}>; rel="help"`);
    });
  }
});
