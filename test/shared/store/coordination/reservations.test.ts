import { expect } from 'chai';

import { connectMongo, type Mongo } from '../../../../shared/store/client/client.js';
import {
  createReservations,
  type Reservation,
  type Reservations,
  type ReservationTimes,
  type Taking,
} from '../../../../shared/store/coordination/reservations.js';
import { createSecretBox, type EncryptionKey } from '../../../../shared/security/secretBox.js';
import { secondsLater, start } from '../../../support/facts.js';
import { eventually } from '../../../support/eventually.js';
import { isolatedConfig } from '../../../support/settings.js';

const key: EncryptionKey = { id: 'one', bytes: Buffer.alloc(32, 1) };
const otherKey: EncryptionKey = { id: 'two', bytes: Buffer.alloc(32, 2) };

const long: ReservationTimes = { inUseMs: 60_000, keptMs: 60_000 };
const shortUse: ReservationTimes = { inUseMs: 30, keptMs: 60_000 };
const shortLife: ReservationTimes = { inUseMs: 60_000, keptMs: 30 };

const answer = Buffer.from('{"content":"an answer"}');

describe('shared/mongo/reservations', () => {
  let mongo: Mongo;
  let names = 0;
  before(async () => {
    mongo = await connectMongo((await isolatedConfig()).mongodb.url, 'test');
  });
  after(async () => {
    await mongo.database.dropDatabase();
    await mongo.close();
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

  it('gives a new key to the request that asks, with its own time and seed', async () => {
    const { created, seed, isRepeat } = held(await reservationsWith().take(request(newName())));
    expect({ created, seed, isRepeat }).to.deep.equal({
      created: start,
      seed: Buffer.alloc(32, 3),
      isRepeat: false,
    });
  });

  it('gives a key to one of fifty that ask at once, on two processes', async () => {
    const name = newName();
    const [one, other] = [reservationsWith(), reservationsWith()];
    const takings = await Promise.all(
      Array.from({ length: 50 }, (_, number) => (number % 2 === 0 ? one : other).take(request(name))),
    );
    const outcomes = takings.map(({ outcome }) => outcome).sort();
    expect(outcomes).to.deep.equal([...Array.from({ length: 49 }, () => 'in-use'), 'taken']);
  });

  it('gives the answer to whoever asks after it was kept', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).complete(answer);
    expect(await reservationsWith().take(request(name))).to.deep.equal({ outcome: 'answered', answer });
  });

  for (const [state, prepare] of [
    ['while the first one runs', () => Promise.resolve()],
    ['after it was answered', (reservation: Reservation) => reservation.complete(answer)],
    ['after it was given up', (reservation: Reservation) => reservation.release()],
  ] as const) {
    it(`refuses another body ${state}`, async () => {
      const name = newName();
      await prepare(held(await reservationsWith().take(request(name))));
      const { outcome } = await reservationsWith().take(request(name, { bodyHash: 'another body' }));
      expect(outcome).to.equal('other-body');
    });
  }

  const takeAgain = (name: string, times?: ReservationTimes) =>
    reservationsWith(times).take(request(name, { created: secondsLater(9), seed: Buffer.alloc(32, 4) }));

  const first = { created: start, seed: Buffer.alloc(32, 3), isRepeat: true };

  it('gives what the first one was given to the next after it has released the key', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).release();
    const { created, seed, isRepeat } = held(await takeAgain(name));
    expect({ created, seed, isRepeat }).to.deep.equal(first);
  });

  it('gives it to the next once the first one has run for too long', async () => {
    const name = newName();
    await reservationsWith(shortUse).take(request(name));
    const taking = await eventually('the key is free', async () => {
      const next = await takeAgain(name);
      return next.outcome === 'taken' ? next : null;
    });
    const { created, seed, isRepeat } = held(taking);
    expect({ created, seed, isRepeat }).to.deep.equal(first);
  });

  it('gives it to no third one while the second one runs', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).release();
    await takeAgain(name);
    expect((await takeAgain(name)).outcome).to.equal('in-use');
  });

  it('gives a key that was dropped as a new one', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).drop();
    expect(held(await takeAgain(name)).isRepeat).to.equal(false);
  });

  it('forgets a key, its answer and its body when its time is over', async () => {
    const name = newName();
    await held(await reservationsWith(shortLife).take(request(name))).complete(answer);
    const reservations = reservationsWith();
    await reservations.take(request(newName()));
    // Now and then the database deletes what has expired by itself: not here.
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
    it(`lets one that was overtaken not ${what} what another one has`, async () => {
      const name = newName();
      const late = held(await reservationsWith().take(request(name)));
      await late.release();
      await takeAgain(name);
      await end(late);
      expect((await takeAgain(name)).outcome).to.equal('in-use');
    });
  }

  it('opens with any of the keys what was sealed before the keys were rotated', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).complete(answer);
    const rotated = reservationsWith(long, [otherKey, key]);
    expect(await rotated.take(request(name))).to.deep.equal({ outcome: 'answered', answer });
  });

  it('is unavailable where no key opens what was sealed', async () => {
    const name = newName();
    await held(await reservationsWith().take(request(name))).release();
    const failure = await reservationsWith(long, [otherKey])
      .take(request(name))
      .catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('name', 'UnavailableError');
  });

  it('stores neither seed nor answer in plain', async () => {
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

  it('has the database delete what has expired, also after it was emptied', async () => {
    await mongo.database.collection('idempotency').drop();
    await reservationsWith().take(request(newName()));
    const indexes = await mongo.database.collection('idempotency').indexes();
    expect(
      indexes.map(({ key: fields, expireAfterSeconds }) => [fields, expireAfterSeconds]),
    ).to.deep.include([{ expiresAt: 1 }, 0]);
  });
});
