import { expect } from 'chai';

import { curlOf } from '../../../api/openapi/curl.js';
import { operationOf } from '../../../api/openapi/operation.js';
import { createSchemaCollection } from '../../../api/openapi/componentSchemas.js';
import { routeTable } from '../support/routeTable.js';

function operation(operationId: string) {
  const route = routeTable.find((each) => each.operationId === operationId);
  if (route === undefined) {
    throw new Error(`there is no operation ${operationId}`);
  }
  return operationOf(route, createSchemaCollection());
}

describe('the curl command of an operation', () => {
  it('contains the example of the body', () => {
    expect(curlOf('POST', '/v1/events', operation('createEvent'))).to.equal(
      'curl "$POSTRIDER_URL/v1/events" \\\n' +
        '  -H "Authorization: Bearer $POSTRIDER_API_KEY" \\\n' +
        '  -H "Content-Type: application/json" \\\n' +
        `  -d '{"type":"order.completed","data":{"orderId":"ord_1","amount":4200,"currency":"eur"}}'`,
    );
  });

  it('names the method if it is not the default of curl', () => {
    expect(curlOf('DELETE', '/v1/webhooks/{id}', operation('deleteWebhook'))).to.match(
      /^curl -X DELETE "\$POSTRIDER_URL\/v1\/webhooks\/\$ID" /,
    );
  });

  it('contains no key if the operation requires none', () => {
    expect(curlOf('GET', '/docs/errors/{code}', operation('readError'))).to.equal(
      'curl "$POSTRIDER_URL/docs/errors/parameter_missing"',
    );
  });

  it('quotes a body for the shell', () => {
    const posting = operation('createEvent');
    const body = { schema: {}, example: { it: "isn't" } };
    const quoting = { ...posting, requestBody: { required: true, content: { 'application/json': body } } };
    expect(curlOf('POST', '/v1/events', quoting)).to.contain(String.raw`-d '{"it":"isn'\''t"}'`);
  });
});
