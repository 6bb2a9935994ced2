import { createIdentifiers, type Identifiers } from '../../shared/domain/core/identifiers.js';
import { toBinary } from '../../shared/store/client/binary.js';
import { connectMongo } from '../../shared/store/client/client.js';
import type { EventDocument, ModelDocument } from '../../shared/store/models/documents.js';
import { aliasCollection, metaId, type AliasDocument } from '../../shared/store/models/generations.js';
import { createRandom } from '../../shared/core/random.js';

/** An account's events as the read model has them, put there aside from the log. */
export interface StoredEvents {
  /** Puts so many in place of all that the account had. */
  readonly fill: (count: number) => Promise<readonly ListQuery[]>;
  readonly close: () => Promise<void>;
}

/** A list that has the same page of twenty whatever their number. */
export interface ListQuery {
  readonly name: string;
  readonly query: string;
}

const batch = 5000;
const spreadMs = 30 * 24 * 60 * 60 * 1000;
/** One event in so many has the rare type, or the rare webhook, or a delivery that failed. */
const rareness = 40;
const data = toBinary(Buffer.from(JSON.stringify({ text: 'x'.repeat(500) })));

/** Works on the only account that there is. */
export async function openStoredEvents(mongodbUrl: string): Promise<StoredEvents> {
  const { database, close } = await connectMongo(mongodbUrl, 'bench');
  const liveOf = async (model: AliasDocument['_id']) => {
    const alias = await database.collection<AliasDocument>(aliasCollection).findOne({ _id: model });
    if (alias === null) {
      throw new Error(`The model ${model} was not begun.`);
    }
    return alias.live;
  };
  const events = database.collection<EventDocument>(await liveOf('events'));
  const accounts = database.collection<ModelDocument>(await liveOf('accounts'));
  const accountId = (await accounts.findOne({ _id: { $ne: metaId } }))?._id ?? '';
  const identifiers = createIdentifiers(createRandom());
  const now = new Date();
  const webhookIds = [identifiers.create('wh', now), identifiers.create('wh', now)];

  const fill = async (count: number) => {
    await events.deleteMany({ accountId });
    const createdAt = (number: number) => new Date(now.getTime() - ((count - number) * spreadMs) / count);
    for (let first = 0; first < count; first += batch) {
      const numbers = Array.from({ length: Math.min(batch, count - first) }, (_, index) => first + index);
      const documents = numbers.map((number) =>
        eventDocument(identifiers, { number, accountId, webhookIds, created: createdAt(number) }),
      );
      await events.insertMany(documents, { ordered: false });
    }
    const middle = createdAt(count / 2);
    const [cursor] = await events.find({ accountId, mode: 'live', created: middle }).toArray();
    return listQueries(webhookIds, { created: middle, id: cursor?._id ?? '' });
  };

  return { fill, close };
}

interface EventPlace {
  readonly number: number;
  readonly accountId: string;
  readonly webhookIds: readonly string[];
  readonly created: Date;
}

function eventDocument(
  identifiers: Identifiers,
  { number, accountId, webhookIds, created }: EventPlace,
): EventDocument {
  const isRare = number % rareness === 0;
  return {
    _id: identifiers.create('evt', created),
    accountId,
    mode: 'live',
    type: isRare ? 'rare' : 'order.completed',
    created,
    data,
    onlyWebhookId: null,
    source: { partition: 0, offset: number, appended: created.getTime() },
    deliveries: webhookIds.slice(0, isRare ? 2 : 1).map((webhookId, index) => ({
      webhookId,
      status: index === 0 && isRare ? 'failed' : 'delivered',
      statusCode: 200,
      deliveredAt: created,
      attemptCount: 1,
      nextAttemptAt: null,
      error: null,
      cycle: 0,
      epoch: 0,
      replayId: null,
      requestId: null,
      firstNumber: 1,
      lastNumber: 1,
    })),
    positions: {},
  };
}

function listQueries(
  [everyHook = '', rareHook = '']: readonly string[],
  middle: { readonly created: Date; readonly id: string },
): readonly ListQuery[] {
  return [
    { name: 'first page', query: '' },
    { name: 'page in the middle', query: `startingAfter=${middle.id}` },
    { name: 'createdLte', query: `createdLte=${middle.created.toISOString()}` },
    { name: 'type', query: 'type=rare' },
    { name: 'webhookId', query: `webhookId=${rareHook}` },
    { name: 'deliveryStatus', query: 'deliveryStatus=failed' },
    { name: 'webhookId, deliveryStatus', query: `webhookId=${everyHook}&deliveryStatus=failed` },
  ];
}
