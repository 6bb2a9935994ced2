import { expect } from 'chai';

import { webhookUrlError } from '../../../../api/resources/webhooks/webhookUrl.js';
import { privateUrls } from '../../support/privateUrls.js';

const strict = { allowHttp: false, allowPrivateAddresses: false };
const open = { allowHttp: true, allowPrivateAddresses: true };

const accepted = [
  'https://example.com',
  'https://example.com/',
  'https://example.com:8443/hooks?a=1&b=@2',
  'HTTPS://EXAMPLE.COM/hook',
  'https://sub.domain.example.com/a/b/c.php',
  'https://example.com/%20%ff',
  'https://example.com/@user',
  'https://example.com?query=https://other.example.com',
  'https://bücher.example/hook',
  'https://93.184.216.34/hook',
  'https://[2606:2800:220:1:248:1893:25c8:1946]/hook',
  `https://example.com/${'a'.repeat(2048 - 20)}`,
];

const invalid = [
  '',
  'example.com',
  '//example.com',
  '/hook',
  'https:',
  'https://',
  'https:///',
  'https:///example.com',
  'https:example.com',
  'https:/example.com',
  'https:\\\\example.com',
  'https://example.com\\path',
  'http://example.com',
  'ftp://example.com',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  'https//example.com',
  ' https://example.com',
  'https://example.com ',
  'https://exam ple.com',
  'https://example.com/a b',
  'https://example.com/\n',
  'ht\ttps://example.com',
  'https://exa\tmple.com',
  'https://example.com/\u0000',
  'https://example.com/\u00a0',
  'https://example.com/\ud800',
  'https://example.com/#',
  'https://example.com/#part',
  'https://user@example.com',
  'https://user:password@example.com',
  'https://:password@example.com',
  'https://@example.com',
  'https://:@example.com',
  'https://a@b@example.com',
  'https://user%40x@example.com',
  'https://example.com:port/',
  'https://example.com:70000/',
  'https://[::1',
  'https://[zz]/',
  'https://exa%00mple.com/',
  'https://xn--/',
  'https://xn--a.example.com/',
  'https://example.xn--zz--/',
  "https://93.184.216.34'.example.com/",
  'https://a;b.example.com/',
  `https://example.com/${'a'.repeat(2048 - 19)}`,
];

describe('the URL of a webhook', () => {
  for (const url of accepted) {
    it(`may be ${url.slice(0, 70)}`, () => {
      expect(webhookUrlError(url, strict)).to.equal(null);
    });
  }

  for (const url of invalid) {
    it(`is rejected as invalid: ${JSON.stringify(url.slice(0, 70))}`, () => {
      expect(webhookUrlError(url, strict)?.errorCode).to.equal('url_invalid');
    });
  }

  for (const url of privateUrls) {
    it(`is rejected as not allowed: ${url}`, () => {
      expect(webhookUrlError(url, strict)?.errorCode).to.equal('url_not_allowed');
    });

    it(`may be ${url} if private addresses are allowed`, () => {
      expect(webhookUrlError(url, open)).to.equal(null);
    });
  }

  it('may be http: if http is allowed', () => {
    expect(webhookUrlError('http://example.com/', open)).to.equal(null);
  });

  it('may not be http: for a public address if private addresses alone are allowed', () => {
    const rules = { allowHttp: false, allowPrivateAddresses: true };
    expect(webhookUrlError('http://example.com/', rules)?.errorCode).to.equal('url_invalid');
  });

  for (const url of ['https://user@example.com', 'http://example.com/#', 'ftp://example.com', 'http://']) {
    it(`is rejected even if all addresses are allowed: ${url}`, () => {
      expect(webhookUrlError(url, open)?.errorCode).to.equal('url_invalid');
    });
  }

  it('is named in the error', () => {
    expect(webhookUrlError('', strict)?.param).to.equal('url');
  });
});
