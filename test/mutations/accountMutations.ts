import type { Mutation } from './mutation.js';

/** Ways to break what keys may do, how they are managed, and what is told of it. */
export const accountMutations: readonly Mutation[] = [
  {
    name: 'a key with any scope may do everything',
    file: 'api/middleware/permission.ts',
    find: 'return scopes.includes(scope) ? null',
    replace: 'return scopes.length > 0 ? null',
    test: 'test/api/middleware/permission.test.ts',
    grep: 'does not let a key with',
  },
  {
    name: 'a route is not asked which scope it needs',
    file: 'api/routing.ts',
    find: '[authentication, rateLimit, permission] : []',
    replace: '[authentication, rateLimit] : []',
    test: 'test/api/middleware/permission.test.ts',
    grep: 'does not let a key with',
  },
  {
    name: 'the scope is looked at after the body',
    file: 'api/routing.ts',
    find: `[authentication, rateLimit, permission] : []),
    ...(route.body === noBody ? [] : [jsonBody]),`,
    replace: `[authentication, rateLimit] : []),
    ...(route.body === noBody ? [] : [jsonBody]),
    ...(route.access === 'api-key' ? [permission] : []),`,
    test: 'test/api/middleware/permission.test.ts',
    grep: 'looks at the scope before body and parameters',
  },
  {
    name: 'scoped keys work on every plan',
    file: 'api/middleware/permission.ts',
    find: "if (plan !== 'enterprise') {",
    replace: "if (plan === 'free' && scopes.length === 0) {",
    test: 'test/api/middleware/permission.test.ts',
    grep: 'that is not on Enterprise',
  },
  {
    name: 'the keys of a suspended account work on',
    file: 'api/middleware/permission.ts',
    find: 'if (isSuspended) {',
    replace: 'if (isSuspended && scopes !== null) {',
    test: 'test/api/middleware/permission.test.ts',
    grep: 'refuses every key of a suspended account',
  },
  {
    name: 'a key is taken after its time',
    file: 'shared/domain/apiKey.ts',
    find: 'return expiresAt !== null && expiresAt <= now;',
    replace: 'return expiresAt !== null && expiresAt < new Date(0);',
    test: 'test/api/middleware/authentication.test.ts',
    grep: 'refuses an expired key',
  },
];
