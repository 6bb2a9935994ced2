import { randomBytes, randomUUID } from 'node:crypto';

import { expect } from 'chai';
import { z } from 'zod';

import { isApiError } from '../../../api/http/apiError.js';
import type { TenantScope } from '../../../api/http/context.js';
import { jsonResponse, type HandlerResult } from '../../../api/http/response.js';
import { createIdempotency } from '../../../api/idempotency/idempotency.js';
import { createStoreRetries } from '../../../api/idempotency/storeRetries.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { createSecretBox } from '../../../shared/security/secretBox.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { createReservations } from '../../../shared/store/coordination/reservations.js';
import { openNewDatabase } from '../../support/mongo.js';

describe('the idempotency keys of tenants', () => {
  let mongo: Mongo;
  before(async () => {
    mongo = await openNewDatabase();
  });

  /** The secrets that callers get who send one request with the same idempotency key, one after another. */
  async function secretsOf(tenants: readonly (TenantScope | null)[]): Promise<readonly unknown[]> {
    const secretBox = createSecretBox([{ id: '1', bytes: randomBytes(32) }]);
    const idempotency = createIdempotency({
      reservations: createReservations(mongo.database, secretBox),
      clock: () => new Date(),
      identifiers: createIdentifiers(createRandom()),
      randomBytes,
      retryStore: createStoreRetries(createLogger({ role: 'test', level: 'silent', isTerminal: false }))
        .retryStore,
    });
    const key = randomUUID();
    const request = {
      route: { method: 'POST', path: '/v1/webhooks' },
      id: '',
      message: { headers: { 'idempotency-key': key }, headersDistinct: { 'idempotency-key': [key] } },
      content: [Buffer.from('{}')],
    };
    const secrets: unknown[] = [];
    for (const tenant of tenants) {
      const owner = { accountId: 'acct_1', mode: 'live', tenant } as const;
      secrets.push(
        secretIn(
          await idempotency.run(request, owner, (identity) =>
            Promise.resolve(jsonResponse({ secret: identity.secret().toString('hex') })),
          ),
        ),
      );
    }
    return secrets;
  }

  function secretIn(result: HandlerResult): unknown {
    if (isApiError(result) || typeof result.content !== 'string') {
      throw new Error('the request has no response in JSON');
    }
    return z.object({ secret: z.string() }).parse(JSON.parse(result.content)).secret;
  }

  const tenantOf = (tenantId: string, lifeId: string): TenantScope => ({
    ...{ tenantId, lifeId, eventsFrom: [] },
    credential: 'portal',
  });

  it('give another tenant another response with another secret', async () => {
    const [first, second, account] = await secretsOf([
      tenantOf('a', 'life-1'),
      tenantOf('b', 'life-2'),
      null,
    ]);
    expect(new Set([first, second, account]).size).to.equal(3);
  });

  it('give a later life of a tenant another response', async () => {
    const [first, second] = await secretsOf([tenantOf('a', 'life-1'), tenantOf('a', 'life-2')]);
    expect(first).not.to.equal(second);
  });

  it('repeat the response of the same tenant', async () => {
    const [first, second] = await secretsOf([tenantOf('a', 'life-1'), tenantOf('a', 'life-1')]);
    expect(first).to.equal(second);
  });
});
