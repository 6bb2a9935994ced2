import { expect } from 'chai';

import { openAccount, type TestAccount } from '../support/accounts.js';
import { call, getCurrent, refusalOf } from '../support/client.js';
import { invalidJson, invalidUtf8, otherJson, validData } from '../support/jsonCases.js';

const maximumBytes = 256 * 1024;
const json = { 'content-type': 'application/json' };

function shortened(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** A valid body with exactly this number of bytes. */
function bodyOf(bytes: number): string {
  const empty = '{"type":"a","data":{"a":""}}';
  return empty.replace('""}}', `"${'x'.repeat(bytes - empty.length)}"}}`);
}

const otherEncodings: readonly [what: string, bytes: Buffer][] = [
  ['a byte-order mark', Buffer.from('\ufeff{"type":"a","data":{}}')],
  ['two byte-order marks', Buffer.from('\ufeff\ufeff{"type":"a","data":{}}')],
  ['UTF-16', Buffer.from('{"type":"a","data":{}}', 'utf16le')],
  ['UTF-16 with a byte-order mark', Buffer.from('\ufeff{"type":"a","data":{}}', 'utf16le')],
  ['NUL bytes alone', Buffer.alloc(10)],
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
  'application/cloudevents+avro',
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
  'a value': ['{"type":"a","data":{"a":', '}}'],
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
      it(`is returned byte for byte: ${shortened(data)}`, async () => {
        const created = await post(`{"type":"a","data":${data}}`);
        const { text } = await getCurrent(account.live, String(created.headers.location));
        expect(text).to.contain(`"data":${data.trim()},"deliveries":[]`);
      });
    }

    it('is returned also if it is the first member', async () => {
      const { text } = await post('{ "data" : {"a":1.0} , "type" : "a" }');
      expect(text).to.contain('"data":{"a":1.0},');
    });

    it('is found if names contain escapes', async () => {
      const { text } = await post('{"\\u0074ype":"a","d\\u0061ta":{"a":1.0}}');
      expect(text).to.contain('"data":{"a":1.0},');
    });

    it('is not confused with the text of a string', async () => {
      const { text } = await post('{"data":{"b":"\\"data\\":{},"},"type":"a"}');
      expect(text).to.contain('"data":{"b":"\\"data\\":{},"},');
    });

    it('is accepted with 1,000 levels', async () => {
      const data = `${'{"a":'.repeat(999)}{}${'}'.repeat(999)}`;
      expect((await post(`{"type":"a","data":${data}}`)).status).to.equal(201);
    });

    for (const [open, close] of [
      ['{"a":', '}'],
      ['[', ']'],
    ] as const) {
      it(`is rejected with 1,001 levels of ${open}`, async () => {
        const data = `{"a":${open.repeat(1000)}${open === '[' ? '' : '1'}${close.repeat(1000)}}`;
        expect(refusalOf(await post(`{"type":"a","data":${data}}`))).to.equal('400 json_invalid');
      });
    }

    it('is rejected with 50,000 levels', async () => {
      const data = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
      expect(refusalOf(await post(`{"type":"a","data":${data}}`))).to.equal('400 json_invalid');
    });
  });

  describe('a body', () => {
    for (const text of invalidJson) {
      it(`is rejected if it is not JSON: ${shortened(text)}`, async () => {
        expect(refusalOf(await post(text))).to.equal('400 json_invalid');
      });
    }

    for (const value of invalidJson.filter((text) => text.trim().startsWith('{'))) {
      it(`is rejected if data is not JSON: ${shortened(value)}`, async () => {
        expect(refusalOf(await post(`{"type":"a","data":${value}}`.slice(0, maximumBytes)))).to.equal(
          '400 json_invalid',
        );
      });
    }

    for (const text of otherJson) {
      it(`is rejected if it is not an object: ${text}`, async () => {
        expect(refusalOf(await post(text))).to.equal('400 parameter_invalid');
      });
    }

    for (const [what, bytes] of Object.entries(invalidUtf8)) {
      for (const [place, [before, behind]] of Object.entries(places)) {
        it(`is rejected if ${place} contains invalid UTF-8: ${what}`, async () => {
          const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(behind)]);
          expect(refusalOf(await post(body))).to.equal('400 json_invalid');
        });
      }
    }

    for (const [what, body] of otherEncodings) {
      it(`is rejected if it contains ${what}`, async () => {
        expect(refusalOf(await post(body))).to.equal('400 json_invalid');
      });
    }

    for (const body of doubled) {
      it(`is rejected if a member is repeated: ${body}`, async () => {
        expect(refusalOf(await post(body))).to.equal('400 json_invalid');
      });
    }

    it('is required', async () => {
      const headers = { ...json, authorization: `Bearer ${account.liveKey}` };
      expect(refusalOf(await call(address, '/v1/events', { method: 'POST', headers }))).to.equal(
        '400 json_invalid',
      );
    });

    it('may come in chunks', async () => {
      const headers = { ...json, 'transfer-encoding': 'chunked' };
      expect((await post('{"type":"a","data":{}}', headers)).status).to.equal(201);
    });
  });

  describe('the size of a body', () => {
    it('may be 256 KiB', async () => {
      expect((await post(bodyOf(maximumBytes))).status).to.equal(201);
    });

    it('may be 256 KiB in chunks', async () => {
      expect((await post(bodyOf(maximumBytes), { ...json, 'transfer-encoding': 'chunked' })).status).to.equal(
        201,
      );
    });

    for (const extra of [1, 2, 1024, 256 * 1024, 8 * 1024 * 1024]) {
      it(`is rejected with ${extra} bytes more than 256 KiB`, async () => {
        expect(refusalOf(await post(bodyOf(maximumBytes + extra)))).to.equal('413 payload_too_large');
      });

      it(`is rejected with ${extra} bytes more than 256 KiB in chunks`, async () => {
        const headers = { ...json, 'transfer-encoding': 'chunked' };
        expect(refusalOf(await post(bodyOf(maximumBytes + extra), headers))).to.equal(
          '413 payload_too_large',
        );
      });
    }

    it('is checked before the content type', async () => {
      const response = await post(bodyOf(maximumBytes + 1), { 'content-type': 'text/plain' });
      expect(refusalOf(response)).to.equal('413 payload_too_large');
    });
  });

  describe('the content type', () => {
    for (const contentType of acceptedTypes) {
      it(`may be ${contentType}`, async () => {
        const response = await post('{"type":"a","data":{}}', { 'content-type': contentType });
        expect(response.status).to.equal(201);
      });
    }

    for (const contentType of refusedTypes) {
      it(`is rejected as "${contentType}"`, async () => {
        const response = await post('{"type":"a","data":{}}', { 'content-type': contentType });
        expect(refusalOf(response)).to.equal('415 unsupported_media_type');
      });
    }

    it('is required', async () => {
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
