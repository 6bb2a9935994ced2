import { expect } from 'chai';

import { openAccount, type TestAccount } from '../support/accounts.js';
import { call, getCurrent, refusalOf } from '../support/client.js';
import { validData } from '../support/jsonCases.js';

const maximumBytes = 256 * 1024;
const json = { 'content-type': 'application/json' };
const event = '{"type":"a","data":{}}';

/** A valid body with exactly this number of bytes. */
function bodyOf(bytes: number): string {
  const empty = '{"type":"a","data":{"a":""}}';
  return empty.replace('""}}', `"${'x'.repeat(bytes - empty.length)}"}}`);
}

/** `data` with many levels, and with each of the other texts as a member. */
const anyData = [
  ...validData.filter((text) => text.length > 1000),
  `{${validData
    .filter((text) => text.length <= 1000)
    .map((text, number) => `"${String(number)}":${text}`)
    .join()}}`,
];

describe('the JSON body of a request', () => {
  let account: TestAccount;
  let address: string;
  before(async () => {
    account = await openAccount();
    address = account.service.address;
  });

  const post = (body: string | Buffer, headers: Readonly<Record<string, string>> = json) =>
    account.live.post('/v1/events', body, headers);

  it('has data that is returned byte for byte, up to 1,000 levels', async () => {
    for (const data of anyData) {
      const created = await post(`{"type":"a","data":${data}}`);
      const { text } = await getCurrent(account.live, String(created.headers.location));
      expect(text.includes(`"data":${data},"deliveries":[]`), data.slice(0, 100)).to.equal(true);
    }
  });

  it('has data in any position, under an escaped name, and next to a string that looks like it', async () => {
    for (const [body, data] of [
      ['{ "data" : {"a":1.0} , "type" : "a" }', '{"a":1.0}'],
      ['{"\\u0074ype":"a","d\\u0061ta":{"a":1.0}}', '{"a":1.0}'],
      ['{"data":{"b":"\\"data\\":{},"},"type":"a"}', '{"b":"\\"data\\":{},"}'],
    ] as const) {
      expect((await post(body)).text, body).to.contain(`"data":${data},`);
    }
  });

  it('is rejected with the code of its fault', async () => {
    const levels = `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`;
    for (const [body, code] of [
      ['{"type":"a","data":{}', 'json_invalid'],
      [`{"type":"a","data":${levels}}`, 'json_invalid'],
      ['{"type":"a","type":"a","data":{}}', 'json_invalid'],
      ['[]', 'parameter_invalid'],
    ] as const) {
      expect(refusalOf(await post(body)), body.slice(0, 100)).to.equal(`400 ${code}`);
    }
    const headers = { ...json, authorization: `Bearer ${account.liveKey}` };
    const without = await call(address, '/v1/events', { method: 'POST', headers });
    expect(refusalOf(without)).to.equal('400 json_invalid');
  });

  for (const framing of [{}, { 'transfer-encoding': 'chunked' }]) {
    it(`may have 256 KiB and no byte more, with ${JSON.stringify(framing)}`, async () => {
      expect((await post(bodyOf(maximumBytes), { ...json, ...framing })).status).to.equal(201);
      for (const extra of [1, 256 * 1024, 8 * 1024 * 1024]) {
        const refused = await post(bodyOf(maximumBytes + extra), { ...json, ...framing });
        expect(refusalOf(refused), String(extra)).to.equal('413 payload_too_large');
      }
    });
  }

  it('has a size that is checked before the content type', async () => {
    const response = await post(bodyOf(maximumBytes + 1), { 'content-type': 'text/plain' });
    expect(refusalOf(response)).to.equal('413 payload_too_large');
  });

  it('requires a content type of JSON', async () => {
    for (const contentType of ['application/json', 'Application/JSON; charset="utf-8"; profile=x']) {
      expect((await post(event, { 'content-type': contentType })).status, contentType).to.equal(201);
    }
    for (const headers of [
      {},
      { 'content-type': '' },
      { 'content-type': 'application/json; charset=utf8' },
    ]) {
      expect(refusalOf(await post(event, headers)), JSON.stringify(headers)).to.equal(
        '415 unsupported_media_type',
      );
    }
  });

  it('is rejected with any content encoding', async () => {
    for (const encoding of ['gzip', 'identity', '']) {
      const response = await post(event, { ...json, 'content-encoding': encoding });
      expect(refusalOf(response), encoding).to.equal('415 unsupported_media_type');
    }
  });
});
