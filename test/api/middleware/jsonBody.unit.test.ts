import { expect } from 'chai';

import { isApiError } from '../../../api/http/apiError.js';
import { essenceOf, readObject } from '../../../api/middleware/jsonBody.js';
import { invalidJson, invalidUtf8, otherJson } from '../support/jsonCases.js';

const otherEncodings = [
  Buffer.from('\ufeff{"type":"a","data":{}}'),
  Buffer.from('\ufeff\ufeff{"type":"a","data":{}}'),
  Buffer.from('{"type":"a","data":{}}', 'utf16le'),
  Buffer.from('\ufeff{"type":"a","data":{}}', 'utf16le'),
  Buffer.alloc(10),
];

const doubled = [
  '{"type":"a","type":"a","data":{}}',
  '{"type":"a","data":{},"data":{}}',
  '{"type":"a","data":{},"\\u0064ata":{}}',
  '{"type":"a","data":{},"x":1,"x":2}',
  '{"":1,"":2}',
  '{"__proto__":1,"__proto__":2,"type":"a","data":{}}',
];

/** The text before and behind the bytes in a string, in a name, and in place of a value. */
const places = [
  ['{"type":"a","data":{"a":"', '"}}'],
  ['{"type":"a","data":{"', '":1}}'],
  ['{"type":"a","data":{"a":', '}}'],
] as const;

/** The code of the error of a body, or null. */
function codeOf(body: string | Buffer): string | null {
  const object = readObject(Buffer.from(body));
  return isApiError(object) ? object.errorCode : null;
}

/** The bodies that are not rejected with a code. */
function notRejected(code: string, bodies: readonly (string | Buffer)[]): readonly string[] {
  return bodies.filter((body) => codeOf(body) !== code).map((body) => body.toString().slice(0, 100));
}

describe('the object in a body', () => {
  it('is rejected if it or its data is not JSON', () => {
    const inData = invalidJson
      .filter((text) => text.trim().startsWith('{'))
      .map((value) => `{"type":"a","data":${value}}`);
    expect(notRejected('json_invalid', [...invalidJson, ...inData])).to.deep.equal([]);
  });

  it('is rejected if it is another JSON value', () => {
    expect(notRejected('parameter_invalid', otherJson)).to.deep.equal([]);
  });

  it('is rejected if a string, a name or a value contains invalid UTF-8', () => {
    const bodies = Object.values(invalidUtf8).flatMap((bytes) =>
      places.map(([before, behind]) =>
        Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(behind)]),
      ),
    );
    expect(notRejected('json_invalid', bodies)).to.deep.equal([]);
  });

  it('is rejected in another encoding, or with a byte-order mark', () => {
    expect(notRejected('json_invalid', otherEncodings)).to.deep.equal([]);
  });

  it('is rejected if a member is repeated', () => {
    expect(notRejected('json_invalid', doubled)).to.deep.equal([]);
  });
});

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

const otherTypes = [
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

describe('the media type of a body', () => {
  it('is found next to any parameters, unless they name another character set', () => {
    expect(acceptedTypes.filter((type) => essenceOf(type) !== 'application/json')).to.deep.equal([]);
  });

  it('is not JSON in any other header', () => {
    expect(otherTypes.filter((type) => essenceOf(type) === 'application/json')).to.deep.equal([]);
  });
});
