import type { Db } from 'mongodb';

import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import { failureKey, failureOf } from '../../shared/store/entries/deliveryEntries.js';
import {
  derivedDocuments,
  type CountersDocument,
  type EntryDocument,
  type EventDocument,
} from '../../shared/store/models/documents.js';
import { metaId } from '../../shared/store/models/generations.js';

/** The entries by their ids, and the numbers by webhook, partition and status or error, without zeros. */
interface Counted {
  readonly entries: Readonly<Record<string, unknown>>;
  readonly numbers: Readonly<Record<string, number>>;
}

/** The entries and counters of a generation, as they are stored. */
export async function countedFromStore(database: Db, generation: string): Promise<Counted> {
  const found = await database
    .collection<EntryDocument | CountersDocument>(generation)
    .find(derivedDocuments)
    .toArray();
  const entries = found.filter((document) => 'entry' in document);
  const counters = found.filter((document) => 'counters' in document);
  return {
    entries: Object.fromEntries(entries.map((document) => [keyOf(document._id), shownEntry(document)])),
    numbers: Object.fromEntries(counters.flatMap(numbersOf)),
  };
}

/** The id without its prefix and the account. */
function keyOf(id: string): string {
  return id.split('/').slice(2).join('/');
}

function shownEntry({ entry: { delivery, home, offset, open, scheduled, failure } }: EntryDocument) {
  return { delivery, home, offset, open, scheduled, failure };
}

function numbersOf({ _id, counters }: CountersDocument): (readonly [string, number])[] {
  const { webhookId: _webhookId, ofTenancy: _tenancy, errors = {}, ...statuses } = counters;
  return [...Object.entries(statuses), ...Object.entries(errors)]
    .filter(([, number]) => number !== 0)
    .map(([name, number]) => [`${keyOf(_id)} ${name}`, number] as const);
}

/** The entries and counters that follow from all events of a generation, counted one by one. */
export async function countedFromEvents(database: Db, generation: string): Promise<Counted> {
  const events = await database
    .collection<EventDocument>(generation)
    .find({ _id: { $ne: metaId }, $nor: derivedDocuments.$or })
    .toArray();
  const counted = events.flatMap(({ _id, source, deliveries }) =>
    source === undefined
      ? []
      : deliveries
          .filter(({ status }) => status !== 'delivered')
          .map((delivery) => ({ eventId: _id, source, delivery })),
  );
  const numbers: Record<string, number> = {};
  for (const { source, delivery } of counted) {
    for (const name of namesOf(delivery)) {
      const path = `${delivery.webhookId}/${source.partition} ${name}`;
      numbers[path] = (numbers[path] ?? 0) + 1;
    }
  }
  const entries = counted.map(
    ({ eventId, source, delivery }) =>
      [`${delivery.webhookId}/${eventId}`, { ...expectedEntry(delivery), ...placeOf(source) }] as const,
  );
  return { entries: Object.fromEntries(entries), numbers };
}

function placeOf({ partition: home, offset }: NonNullable<EventDocument['source']>) {
  return { home, offset };
}

/** The status and the error under which a delivery is counted. */
function namesOf(delivery: Delivery): readonly string[] {
  const failure = failureOf(delivery);
  return [
    delivery.status,
    ...(failure === null ? [] : [failureKey(failure)]),
    ...(delivery.parked === undefined ? [] : ['parked']),
  ];
}

function expectedEntry(delivery: Delivery) {
  const { webhookId, status, nextAttemptAt, parked } = delivery;
  const isOpen = status === 'pending' || status === 'retrying';
  const failure = failureOf(delivery);
  return {
    delivery,
    open: isOpen ? webhookId : undefined,
    scheduled: isOpen && nextAttemptAt !== null && parked === undefined ? webhookId : undefined,
    failure: failure === null ? undefined : `${webhookId}/${failureKey(failure)}`,
  };
}
