import { expect } from 'chai';

import type { Mongo } from '../../../../shared/store/client/client.js';
import {
  createGenerationConversion,
  type ConvertDocument,
  type GenerationConversion,
} from '../../../../shared/store/generations/generationConversion.js';
import type { ModelDocument } from '../../../../shared/store/models/documents.js';
import { metaId, newGenerationName, type MetaDocument } from '../../../../shared/store/models/generations.js';
import { openNewDatabase } from '../../../support/mongo.js';

const folded = { events: { '0': 5 } };
const fence = { _id: 'fence/acct_1/webhooks/0', positions: {} };
/** More than two pages. */
const documents = 250;

const unchanged: ConvertDocument<ModelDocument> = (document) => [document];

describe('The conversion of documents', () => {
  let mongo: Mongo;
  let conversion: GenerationConversion;
  let source: string;
  let target: string;

  before(async () => {
    mongo = await openNewDatabase();
    conversion = createGenerationConversion(mongo.database);
  });
  beforeEach(async () => {
    source = await begin(1, { positions: { events: { '0': 9 } } });
    target = await begin(2, { positions: folded });
    await add(...Array.from({ length: documents }, (_, number) => idOf(number)));
  });

  const idOf = (number: number) => `evt_${String(number).padStart(4, '0')}`;

  const begin = async (version: number, fields: Pick<MetaDocument, 'positions'>) => {
    const name = newGenerationName('events', version);
    const meta = { _id: metaId, version, complete: false, target: {}, ...fields } as const;
    await mongo.database.collection<MetaDocument>(name).insertOne(meta);
    return name;
  };

  const add = (...ids: readonly string[]) =>
    mongo.database
      .collection<ModelDocument>(source)
      .insertMany(ids.map((_id) => ({ _id, positions: { 'events/0': 7 } })));

  const converted = async () =>
    (
      await mongo.database
        .collection<ModelDocument>(target)
        .find({ _id: { $ne: metaId } })
        .sort({ _id: 1 })
        .toArray()
    ).map(({ _id }) => _id);

  const convertPage = (convert = unchanged) => conversion.convertPage({ source, target, convert });

  const convertAll = async (convert = unchanged) => {
    const outcomes = [];
    do {
      outcomes.push(await convertPage(convert));
    } while (outcomes.at(-1) === 'converted');
    return outcomes;
  };

  it('converts all documents in pages, and then reports its end', async () => {
    const outcomes = await convertAll();
    expect([outcomes, (await converted()).length]).to.deep.equal([
      ['converted', 'converted', 'converted', 'ended'],
      documents,
    ]);
  });

  it('passes the start of the fold to the conversion', async () => {
    const told = new Set<string>();
    await convertAll((document, from) => {
      told.add(JSON.stringify(from));
      return [document];
    });
    expect([...told]).to.deep.equal([JSON.stringify(folded)]);
  });

  it('stores all documents that a document is converted into', async () => {
    await convertAll((document) =>
      document._id === idOf(1)
        ? ['/0', '/1'].map((suffix) => ({ ...document, _id: `${document._id}${suffix}` }))
        : [],
    );
    expect(await converted()).to.deep.equal([`${idOf(1)}/0`, `${idOf(1)}/1`]);
  });

  it('copies fences', async () => {
    await mongo.database.collection<ModelDocument>(source).insertOne(fence);
    await convertAll(() => []);
    expect(await converted()).to.deep.equal([fence._id]);
  });

  it('stores nothing of a page that fails, and converts it again', async () => {
    const failing = await convertPage((document) => [document, { ...document, _id: 'twice' }]).catch(
      (error: unknown) => error,
    );
    const retryPolicy = await converted();
    await convertAll();
    expect([failing instanceof Error, retryPolicy, (await converted()).length]).to.deep.equal([
      true,
      [],
      documents,
    ]);
  });

  it('converts each document once, however many processes run it at the same time', async () => {
    const markedBy = (mark: number) => () =>
      convertAll((document) => [{ ...document, _id: `${document._id}/${mark}` }]);
    await Promise.all([1, 2, 3, 4].map((mark) => markedBy(mark)()));
    const sources = (await converted()).map((id) => id.split('/')[0]);
    expect(sources).to.deep.equal(Array.from({ length: documents }, (_, number) => idOf(number)));
  });

  for (const name of ['source', 'target'] as const) {
    it(`reports that the ${name} was emptied`, async () => {
      await mongo.database.collection(name === 'source' ? source : target).deleteMany({});
      expect(await convertPage()).to.equal('emptied');
    });
  }
});
