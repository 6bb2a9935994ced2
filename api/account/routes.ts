import { keyRoute, noBody, noQuery, type Route } from '../route.js';
import { accountExample } from './examples.js';
import type { AccountHandlers } from './handlers.js';
import { accountSchema } from './schemas.js';

export function accountRoutes(account: AccountHandlers): readonly Route[] {
  return [
    keyRoute({
      method: 'GET',
      path: '/v1/account',
      operationId: 'retrieveAccount',
      tag: 'Account',
      summary: 'Retrieve the account',
      description:
        'Plan, limits and what is used of them, of the account that the key or the session belongs to. Any key that may read, and ' +
        'everybody who is signed in, may ask.',
      scope: null,
      audience: 'readers',
      body: noBody,
      query: noQuery,
      successStatus: 200,
      response: accountSchema,
      hasSecret: true,
      errors: [],
      examples: { response: accountExample },
      handle: account.retrieve,
    }),
  ];
}
