import { expect } from 'chai';

import { operationErrors } from '../../../api/openapi/operationErrors.js';
import { pathTemplate } from '../../../api/openapi/operation.js';
import { errorCodes, isErrorCode } from '../../../api/http/errorCodes.js';
import { sharedService } from '../../support/service.js';
import { call, errorOf, refusalOf, type Response } from '../support/client.js';
import { routeTable } from '../support/routeTable.js';

const paths = ['/docs', '/docs/errors', '/docs/errors/last_key', '/docs/style.css'];

/** The section of the page about an operation. */
function sectionOf(page: string, operationId: string): string {
  const [, section = ''] = page.split(`<section id="${operationId}">`);
  return section.split('</section>')[0] ?? '';
}

describe('the API reference', () => {
  let address: string;
  let page: string;
  let errors: string;
  const pages = new Map<string, Response>();

  before(async () => {
    ({ address } = await sharedService());
    for (const path of paths) {
      pages.set(path, await call(address, path));
    }
    page = pages.get('/docs')?.text ?? '';
    errors = pages.get('/docs/errors')?.text ?? '';
  });

  for (const route of routeTable.filter(({ isUndescribed }) => isUndescribed !== true)) {
    const { method, path, operationId, summary } = route;

    it(`shows the method, path and summary of ${method} ${path}`, () => {
      expect(sectionOf(page, operationId))
        .to.contain(`>${method}</span> <code>${pathTemplate(path)}</code>`)
        .and.to.contain(`>${summary}</a>`);
    });

    it(`links the errors of ${method} ${path}`, () => {
      const codes = [...operationErrors(route).values()].flat();
      const section = sectionOf(page, operationId);
      expect(codes.filter((code) => !section.includes(`href="/docs/errors/${code}"`))).to.deep.equal([]);
    });

    it(`states who may call ${method} ${path}`, () => {
      const full = 'Needs a full API key';
      const withKey =
        route.scope === null ? `${full}.` : `${full}, or the scope <code>${route.scope}</code>.`;
      const takesKeys = route.audience === undefined || route.audience === 'readers';
      const ofCallers = takesKeys ? withKey : 'Needs a session of the dashboard.';
      const expected = route.access === 'anyone' ? 'Needs no API key.' : ofCallers;
      expect(sectionOf(page, operationId)).to.contain(`<p>${expected}</p>`);
    });

    it(`shows a curl command for ${method} ${path}`, () => {
      expect(sectionOf(page, operationId)).to.match(/<code>curl .*\$POSTRIDER_URL\//);
    });
  }

  it('has a target for each link within the page', () => {
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id = '']) => id);
    expect(targets.filter((id) => !page.includes(`id="${id}"`))).to.deep.equal([]);
  });

  it('shows the request that a webhook receives', () => {
    expect(sectionOf(page, 'receiveEvent')).to.contain('<code>webhook-signature</code>');
  });

  for (const [code, { status, retryable }] of Object.entries(errorCodes)) {
    it(`lists ${code} with its status, and whether it is retryable`, () => {
      const shown = `${String(status)}${retryable ? ', retryable' : ''}`;
      expect(errors).to.match(
        new RegExp(`<dt>\\s*<a href="/docs/errors/${code}"><code>${code}</code></a> ${shown}\\s*</dt>`),
      );
    });

    it(`has a page for the error ${code}`, async () => {
      const { text } = await call(address, `/docs/errors/${code}`);
      expect(text)
        .to.contain(`<h1><code>${code}</code></h1>`)
        .and.to.contain(`<dd>${status} `)
        .and.to.contain(`<dd>${retryable ? 'Yes' : 'No'}:`);
    });
  }

  for (const path of paths) {
    it(`allows no content of other origins at ${path}`, () => {
      const { headers } = pages.get(path) ?? {};
      expect([
        headers?.['content-security-policy'],
        headers?.['x-content-type-options'],
        headers?.['referrer-policy'],
      ]).to.deep.equal([
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        'nosniff',
        'no-referrer',
      ]);
    });

    it(`contains nothing that its policy blocks at ${path}`, () => {
      expect(pages.get(path)?.text).not.to.match(
        /<script|<style|<img|\sstyle=|https?:\/\/[^<]*"|@import|url\(/,
      );
    });

    it(`answers 304 to a client that has the current ${path}`, async () => {
      const { etag = '' } = pages.get(path)?.headers ?? {};
      const again = await call(address, path, { headers: { 'if-none-match': etag } });
      expect([again.status, again.text]).to.deep.equal([304, '']);
    });

    it(`answers HEAD without a body at ${path}`, async () => {
      const head = await call(address, path, { method: 'HEAD' });
      expect([head.status, head.headers.etag, head.text]).to.deep.equal([
        200,
        pages.get(path)?.headers.etag,
        '',
      ]);
    });

    it(`rejects other methods at ${path}`, async () => {
      expect(refusalOf(await call(address, path, { method: 'POST' }))).to.equal('405 method_not_allowed');
    });
  }

  for (const code of ['unknown', 'toString', '__proto__', '%3Cscript%3E']) {
    it(`answers 404 as JSON to the unknown code ${code}`, async () => {
      expect(refusalOf(await call(address, `/docs/errors/${code}`))).to.equal('404 resource_missing');
    });
  }

  for (const path of ['/nothing', '/v1/events', '/docs/errors/unknown']) {
    it(`explains the error of ${path}, whose response links to it`, async () => {
      const refused = await call(address, path);
      const { code } = errorOf(refused);
      expect(isErrorCode(code) && refused.headers['link']).to.equal(`</docs/errors/${code}>; rel="help"`);
    });
  }
});
