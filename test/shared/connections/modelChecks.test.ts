import { expect } from 'chai';

import { OtherVersionError, UnavailableError } from '../../../shared/core/errors.js';
import {
  areReadable,
  createReaderChecks,
  createWriterChecks,
  type ReaderChecksDependencies,
} from '../../../shared/connections/modelChecks.js';
import { metaId, type MetaDocument } from '../../../shared/store/models/generations.js';
import { modelNames, type ModelName } from '../../../shared/store/models/readModels.js';
import { createReadiness } from '../../../shared/runtime/readiness.js';

const complete: MetaDocument = { _id: metaId, version: 1, complete: true, positions: {}, target: {} };
const otherVersion = new OtherVersionError('of another version');
const away = new UnavailableError('the database is away');

type Found = MetaDocument | Error;

/** Models that are all complete, but for these. */
function modelsWith(found: Partial<Record<ModelName, Found>>): ReaderChecksDependencies['models'] {
  const modelOf = (name: ModelName) => ({
    meta: () => {
      const meta = found[name] ?? complete;
      return meta instanceof Error ? Promise.reject(meta) : Promise.resolve(meta);
    },
  });
  return {
    events: modelOf('events'),
    webhooks: modelOf('webhooks'),
    accounts: modelOf('accounts'),
    accountKeys: modelOf('accountKeys'),
    attempts: modelOf('attempts'),
    audit: modelOf('audit'),
    stats: modelOf('stats'),
    replays: modelOf('replays'),
  };
}

/** The checks of a process that reads these models, in a log whose ends move on each time that they are asked for. */
function readerChecks(found: Partial<Record<ModelName, Found>>, position = 1) {
  let end = 0;
  const state = { position };
  const progress = {
    reached: (_topic: string, offsets: ReadonlyMap<number, number>) =>
      Promise.resolve([...offsets.values()].every((offset) => state.position >= offset)),
  };
  const checks = createReaderChecks({
    models: modelsWith(found),
    progress: { accounts: progress, webhooks: progress },
    offsets: {
      ends: () => {
        end += 1;
        return Promise.resolve([end]);
      },
    },
  });
  return { state, checks };
}

/** What is missing, by name. */
async function missingIn({ checks }: Pick<ReturnType<typeof readerChecks>, 'checks'>) {
  const readiness = createReadiness();
  readiness.begin({ required: checks });
  const report = await readiness.read();
  return Object.fromEntries(Object.entries(report.checks).filter(([, missing]) => missing !== 'ok'));
}

const building = { ...complete, complete: false };

describe('what a role needs of the models', () => {
  it('is there where all are complete', async () => {
    expect(await missingIn(readerChecks({}, 2))).to.deep.equal({});
  });

  for (const name of modelNames) {
    it(`is not there for one who reads where ${name} is of another version`, async () => {
      expect(await missingIn(readerChecks({ [name]: otherVersion }, 2))).to.deep.equal({
        [`model ${name}`]: 'of another version',
      });
    });

    it(`is not there for one who writes while ${name} is being built`, async () => {
      const checks = createWriterChecks(modelsWith({ [name]: building }));
      expect(await missingIn({ checks })).to.deep.equal({ [`model ${name}`]: 'being built from the log' });
    });
  }

  for (const name of ['accounts', 'webhooks', 'events'] as const) {
    it(`is not there for one who reads while ${name} is being built`, async () => {
      expect(await missingIn(readerChecks({ [name]: building }, 2))).to.deep.equal({
        [`model ${name}`]: 'being built from the log',
      });
    });
  }

  for (const found of [building, away]) {
    it(`is there for one who reads without a model that answers by itself: ${'message' in found ? 'away' : 'being built'}`, async () => {
      expect(await missingIn(readerChecks({ stats: found }, 2))).to.deep.equal({});
    });
  }

  it('is not there before keys and webhooks are known as of the first question', async () => {
    expect(await missingIn(readerChecks({}, 0))).to.deep.equal({
      'accounts of now': 'behind what the log held before',
      'webhooks of now': 'behind what the log held before',
    });
  });

  it('is there once they are, however far the log is by then', async () => {
    const asked = readerChecks({}, 0);
    await missingIn(asked);
    asked.state.position = 2;
    expect(await missingIn(asked)).to.deep.equal({});
  });
});

describe('areReadable', () => {
  it('denies it where a model is of another version without which there is nothing to do', async () => {
    expect(await areReadable(modelsWith({ webhooks: otherVersion }))).to.equal(false);
  });

  for (const [what, found] of Object.entries({
    'a model that is not needed is of another version': { stats: otherVersion },
    'a model is not to be reached': { webhooks: away },
    'a model is being built': { events: building },
  })) {
    it(`affirms it where ${what}`, async () => {
      expect(await areReadable(modelsWith(found))).to.equal(true);
    });
  }
});
