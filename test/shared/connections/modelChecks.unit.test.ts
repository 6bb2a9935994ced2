import { expect } from 'chai';

import {
  areReadable,
  createReaderChecks,
  createWriterChecks,
  type ReaderChecksDependencies,
} from '../../../shared/connections/modelChecks.js';
import { OtherVersionError, UnavailableError } from '../../../shared/core/errors.js';
import { createReadiness } from '../../../shared/runtime/readiness.js';
import { metaId, type MetaDocument } from '../../../shared/store/models/generations.js';
import { modelNames, type ModelName } from '../../../shared/store/models/modelDefinitions.js';

const complete: MetaDocument = { _id: metaId, version: 1, complete: true, positions: {}, target: {} };
const otherVersion = new OtherVersionError('of another version');
const unavailable = new UnavailableError('the database is unavailable');

type Found = MetaDocument | Error;

/** Models that are all complete, except for these. */
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
    eventTypes: modelOf('eventTypes'),
    tenants: modelOf('tenants'),
  };
}

/** The checks of a process that reads these models, in a log whose ends advance with each read. */
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

/** The failures, by name. */
async function missingIn({ checks }: Pick<ReturnType<typeof readerChecks>, 'checks'>) {
  const readiness = createReadiness();
  readiness.begin({ required: checks });
  const report = await readiness.read();
  return Object.fromEntries(Object.entries(report.checks).filter(([, missing]) => missing !== 'ok'));
}

const building = { ...complete, complete: false };

describe('The readiness checks of the read models', () => {
  it('pass if all models are complete', async () => {
    expect(await missingIn(readerChecks({}, 2))).to.deep.equal({});
  });

  for (const name of modelNames) {
    it(`fail for a reader if ${name} is of another version`, async () => {
      expect(await missingIn(readerChecks({ [name]: otherVersion }, 2))).to.deep.equal({
        [`model ${name}`]: 'of another version',
      });
    });

    it(`fail for a writer while ${name} is being built`, async () => {
      const checks = createWriterChecks(modelsWith({ [name]: building }));
      expect(await missingIn({ checks })).to.deep.equal({ [`model ${name}`]: 'being built from the log' });
    });
  }

  for (const name of ['accounts', 'webhooks', 'events'] as const) {
    it(`fail for a reader while ${name} is being built`, async () => {
      expect(await missingIn(readerChecks({ [name]: building }, 2))).to.deep.equal({
        [`model ${name}`]: 'being built from the log',
      });
    });
  }

  for (const found of [building, unavailable]) {
    it(`pass for a reader without an optional model: ${'message' in found ? 'unavailable' : 'being built'}`, async () => {
      expect(await missingIn(readerChecks({ stats: found }, 2))).to.deep.equal({});
    });
  }

  it('fail before keys and webhooks are known as of the first check', async () => {
    expect(await missingIn(readerChecks({}, 0))).to.deep.equal({
      'accounts of now': 'behind what the log held before',
      'webhooks of now': 'behind what the log held before',
    });
  });

  it('pass once they are known, even if the log has advanced since', async () => {
    const asked = readerChecks({}, 0);
    await missingIn(asked);
    asked.state.position = 2;
    expect(await missingIn(asked)).to.deep.equal({});
  });
});

describe('areReadable', () => {
  it('is false if a required model is of another version', async () => {
    expect(await areReadable(modelsWith({ webhooks: otherVersion }))).to.equal(false);
  });

  for (const [what, found] of Object.entries({
    'a model that is not needed is of another version': { stats: otherVersion },
    'a model is unavailable': { webhooks: unavailable },
    'a model is being built': { events: building },
  })) {
    it(`is true if ${what}`, async () => {
      expect(await areReadable(modelsWith(found))).to.equal(true);
    });
  }
});
