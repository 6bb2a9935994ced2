import { randomBytes, randomUUID } from 'node:crypto';

import { expect } from 'chai';

import { apiError, isApiError } from '../../../api/http/apiError.js';
import { jsonResponse } from '../../../api/http/response.js';
import { createIdempotency, type IdempotentRequest } from '../../../api/idempotency/idempotency.js';
import { createStoreRetries } from '../../../api/idempotency/storeRetries.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { createLogger } from '../../../shared/core/logger.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { createSecretBox } from '../../../shared/security/secretBox.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { createReservations, type Reservations } from '../../../shared/store/coordination/reservations.js';
import { openNewDatabase } from '../../support/mongo.js';

const caller = { accountId: 'acct_1', mode: 'live', tenant: null } as const;
const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });

/** Reservations whose first write of an outcome fails because no connection is free. */
function withoutFirstOutcome(reservations: Reservations): Reservations {
  let isAvailable = false;
  const unavailableOnce =
    (store: () => Promise<void>): (() => Promise<void>) =>
    () => {
      const failure = new UnavailableError('no connection is free');
      const result = isAvailable ? store() : Promise.reject(failure);
      isAvailable = true;
      return result;
    };
  return {
    take: async (request) => {
      const taking = await reservations.take(request);
      if (taking.outcome !== 'taken') {
        return taking;
      }
      const { reservation } = taking;
      const { complete, release, drop } = reservation;
      return {
        ...taking,
        reservation: {
          ...reservation,
          complete: (answer) => unavailableOnce(() => complete(answer))(),
          release: unavailableOnce(release),
          drop: unavailableOnce(drop),
        },
      };
    },
  };
}

describe('a response that cannot be stored at first', () => {
  let mongo: Mongo;
  before(async () => {
    mongo = await openNewDatabase();
  });

  const idempotencyWith = (reservations: Reservations) =>
    createIdempotency({
      reservations,
      clock: () => new Date(),
      identifiers: createIdentifiers(createRandom()),
      randomBytes,
      retryStore: createStoreRetries(logger).retryStore,
    });

  const requestWith = (key: string): IdempotentRequest => ({
    route: { method: 'POST', path: '/v1/events' },
    id: '',
    message: {
      headers: { 'idempotency-key': key },
      headersDistinct: { 'idempotency-key': [key] },
    },
    content: [],
  });

  const openReservations = () =>
    createReservations(mongo.database, createSecretBox([{ id: 'one', bytes: Buffer.alloc(32, 1) }]));

  it('is stored as soon as the database is available, so a repeat gets the same response', async () => {
    const reservations = openReservations();
    const request = requestWith(randomUUID());
    await idempotencyWith(withoutFirstOutcome(reservations)).run(request, caller, () =>
      Promise.resolve(jsonResponse({ made: 1 })),
    );
    const repeat = await idempotencyWith(reservations).run(request, caller, () =>
      Promise.resolve(jsonResponse({ made: 2 })),
    );

    expect(isApiError(repeat) ? repeat.errorCode : repeat.content).to.equal('{"made":1}');
  });

  it('frees the key of a failed request, so a repeat is executed', async () => {
    const reservations = openReservations();
    const request = requestWith(randomUUID());
    const failed = idempotencyWith(withoutFirstOutcome(reservations)).run(request, caller, () =>
      Promise.reject(new UnavailableError('Kafka does not respond')),
    );
    const failure = await failed.catch((error: unknown) => error);
    const repeat = await idempotencyWith(reservations).run(request, caller, () =>
      Promise.resolve(jsonResponse({ made: 2 })),
    );

    expect([
      failure instanceof UnavailableError,
      isApiError(repeat) ? repeat.errorCode : repeat.content,
    ]).to.deep.equal([true, '{"made":2}']);
  });

  it('keeps the identity of a request whose outcome is unknown, also if the handler returns the error', async () => {
    const idempotency = idempotencyWith(openReservations());
    const request = requestWith(randomUUID());
    const ids: string[] = [];
    const first = await idempotency.run(request, caller, (identity) => {
      ids.push(identity.id('evt'));
      return Promise.resolve(apiError('service_unavailable', 'Kafka does not respond'));
    });
    await idempotency.run(request, caller, (identity) => {
      ids.push(identity.id('evt'));
      return Promise.resolve(jsonResponse({ made: 2 }));
    });

    expect([isApiError(first), ids.length, new Set(ids).size]).to.deep.equal([true, 2, 1]);
  });
});
