import { forgetSite } from './pipelines/forgetSite.js';
import type { Pipeline, PipelineSite, PipelineWebhook, RunningPipeline } from './pipelines/pipeline.js';
import type { Variant } from './scenarios/scenario.js';

/** A pipeline that runs on topics and a database of its own. */
export interface Stage {
  readonly site: PipelineSite;
  readonly running: RunningPipeline;
  /** Whether something was measured on it before. */
  readonly isWarm: boolean;
  /** To be called where a measurement has ended well; what is shared runs on then. */
  readonly leave: () => Promise<void>;
  /** Leaves nothing running: to be called where a measurement has failed. */
  readonly strike: () => Promise<void>;
}

export interface StageNeeds {
  readonly pipeline: Pipeline;
  readonly variant: Variant;
  readonly webhooks: readonly PipelineWebhook[];
}

export type OpenStage = (needs: StageNeeds) => Promise<Stage>;

/** Begins with nothing in the topics and the database, and leaves nothing. */
export function createFreshStages(siteOf: (pipeline: Pipeline, variant: Variant) => PipelineSite): OpenStage {
  return async ({ pipeline, variant, webhooks }) => {
    const site = siteOf(pipeline, variant);
    const running = await pipeline.start(site, webhooks);
    const strike = async () => {
      await running.stop();
      // What cannot be deleted is no reason to lose what was measured.
      await forgetSite(site.config).catch(() => undefined);
    };
    return { site, running, isWarm: false, leave: strike, strike };
  };
}

/**
 * Those with the same needs have the same stage, one after the other: a pipeline takes longer to start and to stop than a quick
 * run takes to measure something on it. It runs until whoever started the servers ends it with them.
 */
export function createSharedStages(open: OpenStage): OpenStage {
  const kept = new Map<string, Stage>();
  return async (needs) => {
    const { pipeline, variant, webhooks } = needs;
    const name = JSON.stringify([pipeline.name, variant, webhooks]);
    const known = kept.get(name);
    if (known !== undefined) {
      return { ...known, isWarm: true };
    }
    const { strike, ...fresh } = await open(needs);
    const stage: Stage = {
      ...fresh,
      leave: () => Promise.resolve(),
      strike: () => {
        kept.delete(name);
        return strike();
      },
    };
    kept.set(name, stage);
    return stage;
  };
}
