import { expect } from 'chai';

import type { Pipeline, PipelineSite, PipelineWebhook } from '../../bench/pipelines/pipeline.js';
import { createFreshStages, createSharedStages, type OpenStage } from '../../bench/stage.js';
import { createReleasers } from '../../shared/runtime/lifecycle.js';
import { createLogger } from '../../shared/core/logger.js';
import { createWatchdog } from '../../stack/processes/watchdog.js';
import { createOpened } from '../support/opened.js';
import { isolatedConfig } from '../support/settings.js';

const usual = { name: '' };
const webhooks: readonly PipelineWebhook[] = [{ url: 'http://127.0.0.1:9/', eventType: 'a' }];

/** Pipelines without processes, with what was done to them. */
function watchedPipeline() {
  const calls: string[] = [];
  const pipeline: Pipeline = {
    name: 'bare',
    start: () => {
      calls.push('start');
      return Promise.resolve({
        ...{ eventsUrl: '', headers: {}, processes: new Map(), lost: new Promise<never>(() => undefined) },
        cpuMs: () => Promise.resolve(0),
        begin: () => Promise.resolve(),
        stop: () => {
          calls.push('stop');
          return Promise.resolve();
        },
      });
    },
  };
  return { calls, pipeline };
}

describe('what a measurement is made on', () => {
  const opened = createOpened();
  let openFresh: OpenStage;
  let openShared: OpenStage;

  before(async () => {
    const watchdog = createWatchdog();
    opened.add('watchdog', () => {
      watchdog.close();
    });
    const releasers = createReleasers(createLogger({ role: 'test', level: 'silent', isTerminal: false }));
    const site: PipelineSite = {
      ...{ environment: {}, config: await isolatedConfig(), deliveryProcesses: 1, nodeOptions: [] },
      host: { watchdog, releasers, logDirectory: '' },
    };
    openFresh = createFreshStages(() => site);
  });
  beforeEach(() => {
    openShared = createSharedStages(openFresh);
  });
  after(opened.releaseAll);

  it('is a pipeline of its own, which is stopped after it', async () => {
    const { calls, pipeline } = watchedPipeline();
    for (let time = 1; time <= 2; time += 1) {
      await (await openFresh({ pipeline, variant: usual, webhooks })).leave();
    }
    expect(calls).to.deep.equal(['start', 'stop', 'start', 'stop']);
  });

  it('is shared in a quick run by those with the same needs, and is warm for the second', async () => {
    const { calls, pipeline } = watchedPipeline();
    const warm: boolean[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const stage = await openShared({ pipeline, variant: usual, webhooks });
      warm.push(stage.isWarm);
      await stage.leave();
    }
    expect({ calls, warm }).to.deep.equal({ calls: ['start'], warm: [false, true] });
  });

  it('is not shared by those with other needs', async () => {
    const { calls, pipeline } = watchedPipeline();
    await openShared({ pipeline, variant: usual, webhooks });
    await openShared({ pipeline, variant: { name: 'other' }, webhooks });
    await openShared({ pipeline, variant: usual, webhooks: [...webhooks, ...webhooks] });
    expect(calls).to.deep.equal(['start', 'start', 'start']);
  });

  it('begins anew after a measurement that has failed', async () => {
    const { calls, pipeline } = watchedPipeline();
    await openShared({ pipeline, variant: usual, webhooks });
    await (await openShared({ pipeline, variant: usual, webhooks })).strike();
    const { isWarm } = await openShared({ pipeline, variant: usual, webhooks });
    expect({ calls, isWarm }).to.deep.equal({ calls: ['start', 'stop', 'start'], isWarm: false });
  });
});
