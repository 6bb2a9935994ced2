import { expect } from 'chai';

import { createSecretBox, type EncryptionKey } from '../../../../shared/security/secretBox.js';
import type { Mongo } from '../../../../shared/store/client/client.js';
import {
  createReservations,
  type Reservation,
  type Reservations,
  type ReservationTimes,
  type Taking,
} from '../../../../shared/store/coordination/reservations.js';
import { eventually } from '../../../support/eventually.js';
import { secondsLater, start } from '../../../support/facts.js';
import { openNewDatabase } from '../../../support/mongo.js';

const key: EncryptionKey = { id: 'one', bytes: Buffer.alloc(32, 1) };
const otherKey: EncryptionKey = { id: 'two', bytes: Buffer.alloc(32, 2) };

const long: ReservationTimes = { inUseMs: 60_000, keptMs: 60_000 };
const shortUse: ReservationTimes = { inUseMs: 30, keptMs: 60_000 };
const shortLife: ReservationTimes = { inUseMs: 60_000, keptMs: 30 };

const answer = Buffer.from('{"content":"an answer"}');

describe('Reservations of idempotency keys', () => {
  let mongo: Mongo;
  let names = 0;
  before(async () => {
    mongo = await openNewDatabase();
  });

  const reservationsWith = (times = long, keys: readonly EncryptionKey[] = [key]): Reservations =>
    createReservations(mongo.database, createSecretBox(keys), times);

  const newName = () => {
    names += 1;
    return `name ${names}`;
  };

  const request = (name: string, fields: { bodyHash?: string; seed?: Buffer; created?: Date } = {}) => ({
    name,
    bodyHash: 'a body',
    created: start,
    seed: Buffer.alloc(32, 3),
    ...fields,
  });

  const held = (taking: Taking): Reservation => {
    if (taking.outcome !== 'taken') {
      throw new Error(`expected a reservation, got ${taking.outcome}`);
    }
    return taking.reservation;
  };

  it('give a new key to the request, with its own time and seed', async () => {
    const { created, seed, isRepeat } = held(await reservationsWith().take(request(newName())));
    expect({ created, seed, isRepeat }).to.deep.equal({
      created: start,
      seed: Buffer.alloc(32, 3),
      isRepeat: false,
    });
  });

  it('give a key to one of fifty simultaneous requests in two processes', async () => {
    const name = newName();
    const [one, other] = [reservationsWith(), reservationsWith()];
    const takings = await Promise.all(
      Array.from({ length: 50 }, (_, number) => (number % 2 === 0 ? one : other).take(request(name))),
    );
    const outcomes = takings.map(({ outcome }) => outcome).sort();
    expect(outcomes).to.deep.equal([...Array.from({ length: 49 }, () => 'in-use'), 'taken']);
  });

  it('return the answer to later requests after it was stored', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).complete(answer);
    expect(await reservationsWith().take(request(name))).to.deep.equal({ outcome: 'answered', answer });
  });

  for (const [state, prepare] of [
    ['while the first one runs', () => Promise.resolve()],
    ['after it was answered', (reservation: Reservation) => reservation.complete(answer)],
    ['after it was given up', (reservation: Reservation) => reservation.release()],
  ] as const) {
    it(`reject another body ${state}`, async () => {
      const name = newName();
      await prepare(held(await reservationsWith().take(request(name))));
      const { outcome } = await reservationsWith().take(request(name, { bodyHash: 'another body' }));
      expect(outcome).to.equal('other-body');
    });
  }

  const takeAgain = (name: string, times?: ReservationTimes) =>
    reservationsWith(times).take(request(name, { created: secondsLater(9), seed: Buffer.alloc(32, 4) }));

  const first = { created: start, seed: Buffer.alloc(32, 3), isRepeat: true };

  it('give the seed of the first request to the next one after a release', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).release();
    const { created, seed, isRepeat } = held(await takeAgain(name));
    expect({ created, seed, isRepeat }).to.deep.equal(first);
  });

  it('give it to the next request once the first one has run for too long', async () => {
    const name = newName();
    await reservationsWith(shortUse).take(request(name));
    const taking = await eventually('the key is free', async () => {
      const next = await takeAgain(name);
      return next.outcome === 'taken' ? next : null;
    });
    const { created, seed, isRepeat } = held(taking);
    expect({ created, seed, isRepeat }).to.deep.equal(first);
  });

  it('give it to no third request while the second one runs', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).release();
    await takeAgain(name);
    expect((await takeAgain(name)).outcome).to.equal('in-use');
  });

  it('treat a dropped key as new', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).drop();
    expect(held(await takeAgain(name)).isRepeat).to.equal(false);
  });

  it('delete a key, its answer and its body after its expiry', async () => {
    const name = newName();
    await held(await reservationsWith(shortLife).take(request(name))).complete(answer);
    const reservations = reservationsWith();
    await reservations.take(request(newName()));
    // The database also deletes expired documents from time to time, but not in this test.
    await mongo.database.collection('idempotency').dropIndex('expiresAt_1');
    const taking = await eventually('the key is forgotten', async () => {
      const next = await reservations.take(request(name, { bodyHash: 'another body' }));
      return next.outcome === 'taken' ? next : null;
    });
    expect(held(taking).isRepeat).to.equal(false);
  });

  for (const [what, end] of [
    ['answer', (late: Reservation) => late.complete(answer)],
    ['release', (late: Reservation) => late.release()],
    ['drop', (late: Reservation) => late.drop()],
  ] as const) {
    it(`do not let a request that was replaced ${what} the key of another one`, async () => {
      const name = newName();
      const late = held(await reservationsWith().take(request(name)));
      await late.release();
      await takeAgain(name);
      await end(late);
      expect((await takeAgain(name)).outcome).to.equal('in-use');
    });
  }

  it('open with any of the keys after a rotation', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).complete(answer);
    const rotated = reservationsWith(long, [otherKey, key]);
    expect(await rotated.take(request(name))).to.deep.equal({ outcome: 'answered', answer });
  });

  it('are unavailable if no key opens them', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).release();
    const failure = await reservationsWith(long, [otherKey])
      .take(request(name))
      .catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('name', 'UnavailableError');
  });

  it('store neither seed nor answer in plain text', async () => {
    const name = newName();
    const seed = Buffer.from('0123456789abcdef0123456789abcdef');
    await held(await reservationsWith().take(request(name, { seed }))).complete(
      Buffer.from('a secret answer'),
    );
    const stored = JSON.stringify(await mongo.database.collection('idempotency').find().toArray());
    const forms = ['a secret answer', seed.toString()].flatMap((text) => [
      text,
      Buffer.from(text).toString('base64').slice(0, 12),
      Buffer.from(text).toString('hex').slice(0, 12),
    ]);
    expect(forms.filter((form) => stored.includes(form))).to.deep.equal([]);
  });

  it('let the database delete expired keys, also after it was emptied', async () => {
    await mongo.database.collection('idempotency').drop();
    await reservationsWith().take(request(newName()));
    const indexes = await mongo.database.collection('idempotency').indexes();
    expect(
      indexes.map(({ key: fields, expireAfterSeconds }) => [fields, expireAfterSeconds]),
    ).to.deep.include([{ expiresAt: 1 }, 0]);
  });
});
