import { expect } from 'chai';

import { operationErrors } from '../../../api/openapi/operationErrors.js';
import { pathTemplate } from '../../../api/openapi/operation.js';
import { describedApi, resolveResponse } from '../../contract/describedApi.js';
import { sharedService } from '../../support/service.js';
import { call } from '../support/client.js';
import { routeTable } from '../support/routeTable.js';

const document = describedApi();
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

describe('the OpenAPI document', () => {
  it('gives every operation a unique id', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).to.equal(names.length);
  });

  it('describes every route', () => {
    expect(operations.length).to.equal(routeTable.filter((route) => route.isUndescribed !== true).length);
  });

  it('refers to existing components only', () => {
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)];
    const components: Readonly<Record<string, object>> = document.components;
    const missing = references.filter(([, kind = '', name = '']) => !(name in (components[kind] ?? {})));
    expect(missing.map(([text]) => text)).to.deep.equal([]);
  });

  for (const { method, path, access, body, response, examples } of routeTable) {
    if (access === 'api-key') {
      it(`has an example response of ${method} ${path} that fits its schema`, () => {
        expect(response?.safeParse(examples?.response).error).to.equal(undefined);
      });

      it(`has an example body of ${method} ${path} that fits its schema`, () => {
        expect(body.safeParse(examples?.body ?? null).error).to.equal(undefined);
      });
    }
  }

  for (const route of routeTable.filter(({ isUndescribed }) => isUndescribed !== true)) {
    const { method, path } = route;
    const operation = () => document.paths[pathTemplate(path)]?.[method.toLowerCase()];

    it(`links each error of ${method} ${path} to its page`, () => {
      const given = Object.values(operation()?.responses ?? {});
      const responses = JSON.stringify(given.map((each) => resolveResponse(document, each)));
      const codes = [...operationErrors(route).values()].flat();
      const missing = codes.filter((code) => !responses.includes(`[\`${code}\`](/docs/errors/${code}): `));
      expect(missing).to.deep.equal([]);
    });

    it(`states the permission that ${method} ${path} requires`, () => {
      const full = 'This operation requires a full API key';
      const also = route.otherScope === undefined ? '' : ` and \`${route.otherScope}\``;
      const named = `scope${also === '' ? '' : 's'} \`${String(route.scope)}\`${also}`;
      const withKey = route.scope === null ? `${full}.` : `${full}, or an API key with the ${named}.`;
      const ofSessions = 'This operation requires a session of the dashboard.';
      const ofAudience = {
        readers: withKey,
        sessions: ofSessions,
        'sessions of owners': ofSessions,
        tenants: 'This operation requires a portal token, or an API key of a tenant.',
      };
      const ofCallers = route.audience === undefined ? withKey : ofAudience[route.audience];
      const expected = route.access === 'anyone' ? 'This operation requires no API key.' : ofCallers;
      expect(operation()?.description).to.contain(`\n\n${expected}\n\n`);
    });

    it(`shows ${method} ${path} as a curl command`, () => {
      expect(operation()?.description).to.match(/\n```sh\ncurl .*\$POSTRIDER_URL\/[^]*\n```$/);
    });
  }

  it('says which scope a key needs', () => {
    expect(document.paths['/v1/events']?.['post']?.security).to.deep.equal([
      { apiKey: ['events:write'] },
      { session: [] },
    ]);
  });

  it('lists the error codes of a response', () => {
    const given = document.paths['/v1/webhooks/{id}']?.['get']?.responses['401'];
    const response = given && resolveResponse(document, given);
    expect(response?.['x-error-codes']).to.deep.equal([
      'api_key_missing',
      'api_key_invalid',
      'api_key_expired',
      'session_expired',
      'portal_session_expired',
    ]);
  });

  it('is served unchanged without a key', async () => {
    const { address } = await sharedService();
    expect(JSON.parse((await call(address, '/openapi.json')).text)).to.deep.equal(
      JSON.parse(JSON.stringify(document)),
    );
  });

  it('is not sent again to a client that has the current document', async () => {
    const { address } = await sharedService();
    const { headers } = await call(address, '/openapi.json');
    const again = await call(address, '/openapi.json', { headers: { 'if-none-match': headers.etag ?? '' } });
    expect([again.status, again.text]).to.deep.equal([304, '']);
  });

  it('may be cached for five minutes', async () => {
    const { address } = await sharedService();
    expect((await call(address, '/openapi.json')).headers['cache-control']).to.equal('public, max-age=300');
  });
});
