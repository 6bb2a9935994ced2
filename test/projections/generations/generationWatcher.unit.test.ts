import { expect } from 'chai';

import { createGenerationWatcher } from '../../../projections/generations/generationWatcher.js';
import type { AliasDocument, MetaDocument } from '../../../shared/store/models/generations.js';
import { modelDefinitions } from '../../../shared/store/models/modelDefinitions.js';
import { eventually } from '../../support/eventually.js';

const { version } = modelDefinitions.stats;
const meta: MetaDocument = { _id: 'meta', version, complete: true, positions: {}, target: {} };

/** A watcher of one model, and the calls that it makes once the model runs. `metas` are the generations that exist. */
async function watched(metas: ReadonlySet<string>, live: string, start: () => Promise<void>) {
  const calls: string[] = [];
  let isRunning = false;
  const alias: AliasDocument = { _id: 'stats', live };
  const watcher = createGenerationWatcher({
    aliasCache: {
      aliases: () => Promise.resolve(new Map([['stats', alias]])),
      metaOf: (generation) => Promise.resolve(metas.has(generation) ? meta : null),
    },
    models: [
      {
        model: 'stats',
        start: async () => {
          if (isRunning) {
            calls.push('start');
            await start();
          }
        },
        follow: ({ live: followed }) => {
          calls.push(`follow ${followed}`);
          return Promise.resolve();
        },
        stop: () => Promise.resolve(),
      },
    ],
    logger: { warn: () => undefined },
    restMs: 5,
  });
  const starting = watcher.start();
  await starting.then(() => {
    isRunning = true;
  });
  return { calls, stop: watcher.stop };
}

describe('createGenerationWatcher', () => {
  it('starts a model again whose live generation was emptied, and repeats a start that fails', async () => {
    const live = `stats.v${version}.1`;
    const metas = new Set<string>();
    let failures = 2;
    const { calls, stop } = await watched(metas, live, () => {
      if (failures > 0) {
        failures -= 1;
        return Promise.reject(new Error('the database is away for a moment'));
      }
      metas.add(live);
      return Promise.resolve();
    });
    await eventually('the model to be followed', () => (calls.includes(`follow ${live}`) ? true : null));
    await stop();

    expect(calls.slice(0, 4)).to.deep.equal(['start', 'start', 'start', `follow ${live}`]);
  });

  it('leaves an emptied generation of another version to the processes of that version', async () => {
    const live = `stats.v${version + 1}.1`;
    const { calls, stop } = await watched(new Set(), live, () => Promise.resolve());
    await eventually('the model to be followed', () => (calls.length > 1 ? true : null));
    await stop();

    expect([...new Set(calls)]).to.deep.equal([`follow ${live}`]);
  });
});
