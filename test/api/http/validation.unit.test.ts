import { expect } from 'chai';
import { z } from 'zod';

import { isApiError } from '../../../api/http/apiError.js';
import { mustBe, validateBody, validateQuery } from '../../../api/http/validation.js';

const schema = z.strictObject({
  name: z.string(),
  types: z
    .array(z.string().refine((type) => type !== 'bad', mustBe('good', 'event_type_invalid')))
    .optional(),
  filter: z.strictObject({ since: z.string() }).optional(),
  limit: z.string(mustBe('given once')).optional(),
  mode: z.enum(['live', 'test']).optional(),
});

describe('the validation of a request', () => {
  const faults: readonly [what: string, body: unknown, code: string, param: string, message: string][] = [
    ['a missing field', {}, 'parameter_missing', 'name', 'name is missing. Add it to the request.'],
    ['a field of another type', { name: 1 }, 'parameter_invalid', 'name', 'name must be of type string.'],
    ['null for a field', { name: null }, 'parameter_invalid', 'name', 'name must be of type string.'],
    [
      'an unknown field',
      { name: '', nam: '' },
      'parameter_unknown',
      'nam',
      'Unknown parameter nam. Remove it from the request.',
    ],
    [
      'a rule with a code',
      { name: '', types: ['a', 'bad'] },
      'event_type_invalid',
      'types[1]',
      'types[1] must be good.',
    ],
    [
      'a value that is not in the enumeration',
      { name: '', mode: 'both' },
      'parameter_invalid',
      'mode',
      'mode must be one of live, test.',
    ],
    [
      'a missing nested field',
      { name: '', filter: {} },
      'parameter_missing',
      'filter.since',
      'filter.since is missing. Add it to the request.',
    ],
    [
      'an unknown nested field',
      { name: '', filter: { since: '', x: 1 } },
      'parameter_unknown',
      'filter.x',
      'Unknown parameter filter.x. Remove it from the request.',
    ],
  ];
  for (const [what, body, errorCode, param, message] of faults) {
    it(`rejects ${what}`, () => {
      expect(validateBody(schema, body)).to.deep.equal({ errorCode, param, message, headers: {} });
    });
  }

  it('returns the output of the schema for a valid body', () => {
    expect(validateBody(z.strictObject({ n: z.string().transform(Number) }), { n: '7' })).to.deep.equal({
      value: { n: 7 },
    });
  });

  it('names the parameter of a fault within a repeated query parameter', () => {
    const outcome = validateQuery(schema, { name: '', types: ['a', 'bad'] });
    expect(isApiError(outcome) && outcome.param).to.equal('types');
  });

  it('rejects a repeated query parameter that may be given once', () => {
    const outcome = validateQuery(schema, { name: '', limit: ['1', '2'] });
    expect(isApiError(outcome) && outcome.message).to.equal('limit must be given once.');
  });

  it('rejects a field called __proto__', () => {
    const outcome = validateBody(schema, JSON.parse('{"name":"","__proto__":1}'));
    expect(isApiError(outcome) && outcome.param).to.equal('__proto__');
  });
});
