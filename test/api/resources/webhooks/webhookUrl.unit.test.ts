import { expect } from 'chai';

import { requestedUrl, webhookUrlError } from '../../../../api/resources/webhooks/webhookUrl.js';
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
  'https://example.com:0/',
  'https://a..b/',
  'https://.example.com/',
  `https://${'a'.repeat(64)}.example.com/`,
  `https://${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(20)}/`,
  `https://example.com/${'ü'.repeat(400)}`,
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
  it('is accepted, invalid or not allowed', () => {
    for (const [urls, code] of [
      [accepted, null],
      [invalid, 'url_invalid'],
      [privateUrls, 'url_not_allowed'],
    ] as const) {
      for (const url of urls) {
        expect(webhookUrlError(url, strict)?.errorCode ?? null, url.slice(0, 70)).to.equal(code);
      }
    }
    for (const url of privateUrls) {
      expect(webhookUrlError(url, open), url).to.equal(null);
    }
  });

  it('may be http: if http is allowed', () => {
    expect(webhookUrlError('http://example.com/', open)).to.equal(null);
  });

  it('may not be http: for a public address if private addresses alone are allowed', () => {
    const rules = { allowHttp: false, allowPrivateAddresses: true };
    expect(webhookUrlError('http://example.com/', rules)?.errorCode).to.equal('url_invalid');
  });

  it('is rejected by its form even if all addresses are allowed', () => {
    for (const url of ['https://user@example.com', 'http://example.com/#', 'ftp://example.com', 'http://']) {
      expect(webhookUrlError(url, open)?.errorCode, url).to.equal('url_invalid');
    }
  });

  const faults: readonly (readonly [url: string, words: RegExp])[] = [
    ['https://example.com:65536/', /port/],
    ['https://example.com/a b', /spaces/],
    ['https://example.com\\path', /backslashes/],
    ['ftp://example.com', /https:\/\/ or http:\/\//],
    ['https://a..b/', /host name/],
  ];
  for (const [url, words] of faults) {
    it(`has an error that names the fault: ${url}`, () => {
      expect(webhookUrlError(url, open)?.message).to.match(words);
    });
  }

  const requested = {
    'https://example.com': 'https://example.com',
    'HTTPS://EXAMPLE.com:443/a/../b/./c': 'https://example.com/b/c',
    "https://example.com/x'y?q='a|b": 'https://example.com/x%27y?q=%27a%7Cb',
    'https://example.com/ü': 'https://example.com/%C3%BC',
    'https://example.com/%7Euser?a=%20': 'https://example.com/%7Euser?a=%20',
  };
  for (const [given, sent] of Object.entries(requested)) {
    it(`is stored as it is requested: ${given}`, () => {
      expect(requestedUrl(given)).to.equal(sent);
      expect(requestedUrl(sent)).to.equal(sent);
    });
  }

  it('is named in the error', () => {
    expect(webhookUrlError('', strict)?.param).to.equal('url');
  });
});
