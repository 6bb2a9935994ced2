import { expect } from 'chai';

import { asPortalOrigin, portalOriginOf } from '../../../../shared/domain/accounts/portalSettings.js';

describe('The origins of a customer portal', () => {
  const accepted: readonly [text: string, origin: string][] = [
    ['https://shop.example.com', 'https://shop.example.com'],
    ['https://Shop.Example.com:443/', 'https://shop.example.com'],
    ['https://shop.example.com:8443', 'https://shop.example.com:8443'],
    ['https://müller.example', 'https://xn--mller-kva.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ];
  for (const [text, origin] of accepted) {
    it(`contain ${text} as ${origin}`, () => {
      expect(asPortalOrigin(text)).to.equal(origin);
    });
  }

  const rejected = [
    '',
    '*',
    'null',
    'shop.example.com',
    'http://shop.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'ftp://localhost',
    'https://*.example.com',
    "https://example.com;script-src'unsafe-inline'",
    'https://example.com;sandbox',
    'https://a,b',
    "https://'self'",
    'https://user@example.com',
    'https://example.com/path',
    'https://example.com?query',
    'https://example.com#fragment',
    'javascript:alert(1)',
    'data:text/html,x',
  ];
  for (const text of rejected) {
    it(`do not contain ${JSON.stringify(text)}`, () => {
      expect(asPortalOrigin(text)).to.equal(null);
    });
  }

  it('are the origins of logos with path and query', () => {
    expect([
      portalOriginOf('https://cdn.example.com/logo.svg?v=2'),
      portalOriginOf('http://cdn.example.com/logo.svg'),
      portalOriginOf('https://*/logo.svg'),
    ]).to.deep.equal(['https://cdn.example.com', null, null]);
  });
});
