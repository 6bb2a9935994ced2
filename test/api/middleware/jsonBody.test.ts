import { expect } from 'chai';

import { openAccount, type TestAccount } from '../support/accounts.js';
import { call, refusalOf } from '../support/client.js';
import { invalidJson, invalidUtf8, otherJson, validData } from '../support/jsonCases.js';

const maximumBytes = 256 * 1024;
const json = { 'content-type': 'application/json' };

function shortened(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** A valid body of exactly so many bytes. */
function bodyOf(bytes: number): string {
  const empty = '{"type":"a","data":{"a":""}}';
  return empty.replace('""}}', `"${'x'.repeat(bytes - empty.length)}"}}`);
}

const otherEncodings: readonly [what: string, bytes: Buffer][] = [
  ['a byte-order mark', Buffer.from('\ufeff{"type":"a","data":{}}')],
  ['two byte-order marks', Buffer.from('\ufeff\ufeff{"type":"a","data":{}}')],
  ['UTF-16', Buffer.from('{"type":"a","data":{}}', 'utf16le')],
  ['UTF-16 with its mark', Buffer.from('\ufeff{"type":"a","data":{}}', 'utf16le')],
  ['nothing but NULs', Buffer.alloc(10)],
];

const doubled = [
  '{"type":"a","type":"a","data":{}}',
  '{"type":"a","data":{},"data":{}}',
  '{"type":"a","data":{},"\\u0064ata":{}}',
  '{"type":"a","data":{},"x":1,"x":2}',
  '{"":1,"":2}',
  '{"__proto__":1,"__proto__":2,"type":"a","data":{}}',
];

const acceptedTypes = [
  'application/json;',
  'application/json; charset',
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset=utf-8',
  'application/json; charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json ; charset=utf-8',
  'application/json; profile=x',
  'application/json; profile="a; charset=latin1"',
  'application/json; charset=utf-8; profile=x',
];

const refusedTypes = [
  '',
  'text/plain',
  'text/json',
  'text/html',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/jsonx',
  'application/json5',
  'application/ld+json',
  'application/vnd.api+json',
  'application/json-patch+json',
  'application/csp-report',
  'application/scim+json',
  'application/cloudevents+json',
  'application/json+x',
  'application/*',
  '*/*',
  'json',
  '/json',
  'application/',
  'application json',
  'application/json charset=utf-8',
  'application/json, text/plain',
  'text/plain; x=application/json',
  'application/json; charset=latin1',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-16',
  'application/json; charset=utf8',
  'application/json; charset=us-ascii',
  'application/json; charset="utf-16"',
  'application/json; profile=x; charset=utf-16',
  'application/json; CHARSET=UTF-16',
];

const places: Readonly<Record<string, readonly [string, string]>> = {
  'a string': ['{"type":"a","data":{"a":"', '"}}'],
  'a name': ['{"type":"a","data":{"', '":1}}'],
  'the place of a value': ['{"type":"a","data":{"a":', '}}'],
};

describe('the JSON body of a request', () => {
  let account: TestAccount;
  let address: string;
  before(async () => {
    account = await openAccount();
    address = account.service.address;
  });

  const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = json) =>
    account.live.post('/v1/events', body, headers);

  describe('data', () => {
    for (const data of validData) {
      it(`comes back as it was sent: ${shortened(data)}`, async () => {
        const created = await post(`{"type":"a","data":${data}}`);
        const { text } = await account.live.get(String(created.headers.location));
        expect(text).to.contain(`"data":${data.trim()},"deliveries":[]`);
      });
    }

    it('comes back also where it stands first', async () => {
      const { text } = await post('{ "data" : {"a":1.0} , "type" : "a" }');
      expect(text).to.contain('"data":{"a":1.0},');
    });

    it('is found also where names are written with escapes', async () => {
      const { text } = await post('{"\\u0074ype":"a","d\\u0061ta":{"a":1.0}}');
      expect(text).to.contain('"data":{"a":1.0},');
    });

    it('is not mistaken for what stands in a string', async () => {
      const { text } = await post('{"data":{"b":"\\"data\\":{},"},"type":"a"}');
      expect(text).to.contain('"data":{"b":"\\"data\\":{},"},');
    });

    it('of 1,000 levels is taken', async () => {
      const data = `${'{"a":'.repeat(999)}{}${'}'.repeat(999)}`;
      expect((await post(`{"type":"a","data":${data}}`)).status).to.equal(201);
    });

    for (const [open, close] of [
      ['{"a":', '}'],
      ['[', ']'],
    ] as const) {
      it(`of 1,001 levels of ${open} is rejected`, async () => {
        const data = `{"a":${open.repeat(1000)}${open === '[' ? '' : '1'}${close.repeat(1000)}}`;
        expect(refusalOf(await post(`{"type":"a","data":${data}}`))).to.equal('400 json_invalid');
      });
    }

    it('of 50,000 levels is rejected', async () => {
      const data = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
      expect(refusalOf(await post(`{"type":"a","data":${data}}`))).to.equal('400 json_invalid');
    });
  });

  describe('a body', () => {
    for (const text of invalidJson) {
      it(`that is no JSON is rejected: ${shortened(text)}`, async () => {
        expect(refusalOf(await post(text))).to.equal('400 json_invalid');
      });
    }

    for (const value of invalidJson.filter((text) => text.trim().startsWith('{'))) {
      it(`with data that is no JSON is rejected: ${shortened(value)}`, async () => {
        expect(refusalOf(await post(`{"type":"a","data":${value}}`.slice(0, maximumBytes)))).to.equal(
          '400 json_invalid',
        );
      });
    }

    for (const text of otherJson) {
      it(`that is no object is rejected: ${text}`, async () => {
        expect(refusalOf(await post(text))).to.equal('400 parameter_invalid');
      });
    }

    for (const [what, bytes] of Object.entries(invalidUtf8)) {
      for (const [place, [before, behind]] of Object.entries(places)) {
        it(`with bytes that are no UTF-8 in ${place} is rejected: ${what}`, async () => {
          const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(behind)]);
          expect(refusalOf(await post(body))).to.equal('400 json_invalid');
        });
      }
    }

    for (const [what, body] of otherEncodings) {
      it(`with ${what} is rejected`, async () => {
        expect(refusalOf(await post(body))).to.equal('400 json_invalid');
      });
    }

    for (const body of doubled) {
      it(`with a member that is there twice is rejected: ${body}`, async () => {
        expect(refusalOf(await post(body))).to.equal('400 json_invalid');
      });
    }

    it('that is missing is rejected', async () => {
      const headers = { ...json, authorization: `Bearer ${account.liveKey}` };
      expect(refusalOf(await call(address, '/v1/events', { method: 'POST', headers }))).to.equal(
        '400 json_invalid',
      );
    });

    it('that comes in chunks is read like any other', async () => {
      const headers = { ...json, 'transfer-encoding': 'chunked' };
      expect((await post('{"type":"a","data":{}}', headers)).status).to.equal(201);
    });
  });

  describe('a body by its size', () => {
    it('of 256 KiB is taken', async () => {
      expect((await post(bodyOf(maximumBytes))).status).to.equal(201);
    });

    it('of 256 KiB in chunks is taken', async () => {
      expect((await post(bodyOf(maximumBytes), { ...json, 'transfer-encoding': 'chunked' })).status).to.equal(
        201,
      );
    });

    for (const extra of [1, 2, 1024, 256 * 1024, 8 * 1024 * 1024]) {
      it(`of ${extra} bytes more than 256 KiB is rejected`, async () => {
        expect(refusalOf(await post(bodyOf(maximumBytes + extra)))).to.equal('413 payload_too_large');
      });

      it(`of ${extra} bytes more than 256 KiB in chunks is rejected`, async () => {
        const headers = { ...json, 'transfer-encoding': 'chunked' };
        expect(refusalOf(await post(bodyOf(maximumBytes + extra), headers))).to.equal(
          '413 payload_too_large',
        );
      });
    }

    it('that is too large is rejected for that before its type', async () => {
      const response = await post(bodyOf(maximumBytes + 1), { 'content-type': 'text/plain' });
      expect(refusalOf(response)).to.equal('413 payload_too_large');
    });
  });

  describe('a content type', () => {
    for (const contentType of acceptedTypes) {
      it(`of ${contentType} is taken`, async () => {
        const response = await post('{"type":"a","data":{}}', { 'content-type': contentType });
        expect(response.status).to.equal(201);
      });
    }

    for (const contentType of refusedTypes) {
      it(`of "${contentType}" is rejected`, async () => {
        const response = await post('{"type":"a","data":{}}', { 'content-type': contentType });
        expect(refusalOf(response)).to.equal('415 unsupported_media_type');
      });
    }

    it('is asked for', async () => {
      expect(refusalOf(await post('{"type":"a","data":{}}', {}))).to.equal('415 unsupported_media_type');
    });
  });

  for (const encoding of ['gzip', 'deflate', 'br', 'identity', 'zstd', 'x', 'gzip, gzip', '']) {
    it(`rejects the content encoding "${encoding}"`, async () => {
      const response = await post('{"type":"a","data":{}}', { ...json, 'content-encoding': encoding });
      expect(refusalOf(response)).to.equal('415 unsupported_media_type');
    });
  }
});
