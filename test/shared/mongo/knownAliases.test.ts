import { expect } from 'chai';

import { connectMongo, type Mongo } from '../../../shared/mongo/client.js';
import { aliasCollection, type AliasDocument } from '../../../shared/mongo/generations.js';
import { createKnownAliases } from '../../../shared/mongo/knownAliases.js';
import { isolatedConfig } from '../../support/settings.js';
import { questionsDuring } from './questions.js';

const always = () => true;

describe('shared/mongo/knownAliases', () => {
  let mongo: Mongo;
  before(async () => {
    mongo = await connectMongo((await isolatedConfig()).mongodb.url, 'test');
    await list('events', 'webhooks');
  });
  after(async () => {
    await mongo.database.dropDatabase();
    await mongo.close();
  });

  const list = (...models: readonly string[]) =>
    mongo.database
      .collection<AliasDocument>(aliasCollection)
      .insertMany(models.map((model) => ({ _id: model, live: `${model}.v1.first` })));

  const known = () => createKnownAliases(mongo.database);

  it('asks once for the aliases of all models, together or one behind the other', async () => {
    const aliases = known();
    const questions = await questionsDuring(mongo.database, [aliasCollection], async () => {
      await Promise.all(['events', 'webhooks'].map((model) => aliases.of(model, always)));
      await aliases.of('webhooks', always);
    });

    expect(questions).to.equal(1);
  });

  it('gives each model its own', async () => {
    const { document } = await known().of('webhooks', always);

    expect(document).to.deep.equal({ _id: 'webhooks', live: 'webhooks.v1.first' });
  });

  it('asks again at once for one that was not there', async () => {
    const aliases = known();
    const before = await aliases.of('accounts', always);
    await list('accounts');
    const { document } = await aliases.of('accounts', always);

    expect([before.document, document?.live]).to.deep.equal([null, 'accounts.v1.first']);
  });

  it('asks again at once for one that is of no use', async () => {
    const aliases = known();
    await aliases.of('events', always);
    const questions = await questionsDuring(mongo.database, [aliasCollection], () =>
      aliases.of('events', () => false),
    );

    expect(questions).to.equal(1);
  });
});
