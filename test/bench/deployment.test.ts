import { expect } from 'chai';

import type { Pipeline, PipelineOptions, PipelineWebhook } from '../../bench/pipelines/pipeline.js';
import { createDeploy, shareDeployments, type Deploy } from '../../bench/deployment.js';
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
    memory: { environment: {}, nodeOptions: [] },
    start: () => {
      calls.push('start');
      return Promise.resolve({
        ...{ eventsUrl: '', headers: {}, processes: new Map(), crashed: new Promise<never>(() => undefined) },
        cpuMs: () => Promise.resolve(0),
        restart: () => Promise.resolve(),
        stop: () => {
          calls.push('stop');
          return Promise.resolve();
        },
      });
    },
  };
  return { calls, pipeline };
}

describe('the deployment of a pipeline', () => {
  const opened = createOpened();
  let deployFresh: Deploy;
  let deployShared: Deploy;

  before(async () => {
    const watchdog = createWatchdog();
    opened.add('watchdog', () => {
      watchdog.close();
    });
    const releasers = createReleasers(createLogger({ role: 'test', level: 'silent', isTerminal: false }));
    const options: PipelineOptions = {
      ...{ environment: {}, config: await isolatedConfig(), deliveryProcesses: 1, nodeOptions: [] },
      profileDirectory: null,
      host: { watchdog, releasers, logDirectory: '' },
    };
    deployFresh = createDeploy(() => options);
  });
  beforeEach(() => {
    deployShared = shareDeployments(deployFresh);
  });
  after(opened.releaseAll);

  it('is stopped after its measurement', async () => {
    const { calls, pipeline } = watchedPipeline();
    for (let time = 1; time <= 2; time += 1) {
      await (await deployFresh({ pipeline, variant: usual, webhooks })).release();
    }
    expect(calls).to.deep.equal(['start', 'stop', 'start', 'stop']);
  });

  it('is shared by equal requests of a quick run, and is warm for the second', async () => {
    const { calls, pipeline } = watchedPipeline();
    const warm: boolean[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const deployment = await deployShared({ pipeline, variant: usual, webhooks });
      warm.push(deployment.isWarm);
      await deployment.release();
    }
    expect({ calls, warm }).to.deep.equal({ calls: ['start'], warm: [false, true] });
  });

  it('is not shared by different requests', async () => {
    const { calls, pipeline } = watchedPipeline();
    await deployShared({ pipeline, variant: usual, webhooks });
    await deployShared({ pipeline, variant: { name: 'other' }, webhooks });
    await deployShared({ pipeline, variant: usual, webhooks: [...webhooks, ...webhooks] });
    expect(calls).to.deep.equal(['start', 'start', 'start']);
  });

  it('is replaced after a failed measurement', async () => {
    const { calls, pipeline } = watchedPipeline();
    await deployShared({ pipeline, variant: usual, webhooks });
    await (await deployShared({ pipeline, variant: usual, webhooks })).discard();
    const { isWarm } = await deployShared({ pipeline, variant: usual, webhooks });
    expect({ calls, isWarm }).to.deep.equal({ calls: ['start', 'stop', 'start'], isWarm: false });
  });
});
