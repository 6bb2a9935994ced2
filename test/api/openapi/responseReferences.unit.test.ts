import { expect } from 'chai';

import type { Operation, Response, Responses } from '../../../api/openapi/openApiTypes.js';
import { shareResponses } from '../../../api/openapi/responseReferences.js';

const responseOf = (description: string): Response => ({ description, headers: {} });

const operationWith = (responses: Responses): Operation => ({
  operationId: 'operation',
  tags: [],
  summary: '',
  description: '',
  security: [],
  parameters: [],
  responses,
});

/** The shared form of one operation for each list of responses. */
function shared(...operations: readonly Responses[]) {
  const paths = Object.fromEntries(
    operations.map((responses, index) => [`/${String(index)}`, { get: operationWith(responses) }]),
  );
  const result = shareResponses(paths);
  return {
    operations: Object.values(result.paths).map((item) => item['get']?.responses),
    components: result.responses,
  };
}

describe('the shared responses of the OpenAPI document', () => {
  it('replace equal responses of several operations', () => {
    const missing = responseOf('missing');
    expect(shared({ 404: missing }, { 404: responseOf('missing') })).to.deep.equal({
      operations: [
        { 404: { $ref: '#/components/responses/NotFound' } },
        { 404: { $ref: '#/components/responses/NotFound' } },
      ],
      components: { NotFound: missing },
    });
  });

  it('are numbered if one status has several', () => {
    const [first, second] = [{ 400: responseOf('first') }, { 400: responseOf('second') }];
    expect(shared(first, second, second, first)).to.deep.equal({
      operations: ['BadRequest', 'BadRequest2', 'BadRequest2', 'BadRequest'].map((name) => ({
        400: { $ref: `#/components/responses/${name}` },
      })),
      components: { BadRequest: first[400], BadRequest2: second[400] },
    });
  });

  it('include neither a success, nor a response of a single operation', () => {
    const first = { 200: responseOf('found'), 404: responseOf('missing') };
    const second = { 200: responseOf('found'), 410: responseOf('missing') };
    expect(shared(first, second)).to.deep.equal({ operations: [first, second], components: {} });
  });
});
