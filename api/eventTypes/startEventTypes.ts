import type { Logger } from '../../shared/core/logger.js';
import type { Releasers } from '../../shared/runtime/lifecycle.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import type { ReadinessCheck } from '../../shared/runtime/readiness.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { createEventChecks, type EventChecks } from './eventCheck.js';
import { createPrograms } from './programs.js';
import { createTypeCatalog } from './typeCatalog.js';
import { createSchemaWorkers, type SchemaWorkers } from './worker/schemaWorkers.js';

/** The event types of an API process: the worker threads, and the checks of posted events. */
export interface RunningEventTypes {
  readonly workers: SchemaWorkers;
  readonly checks: EventChecks;
  readonly check: ReadinessCheck;
}

interface Models {
  readonly models: ReadModels;
  /** The reads for requests, which use the shares of MongoDB's connections. */
  readonly sharedModels: ReadModels;
}

const results = ['valid', 'invalid', 'unknown'] as const;

/**
 * Starts the parts that check posted events. The worker threads start with the process if any account has checked types,
 * because an event waits for a short time only. Otherwise they would occupy 28 MB without a use.
 */
export function startEventTypes(
  { models, sharedModels }: Models,
  { metrics, logger, releasers }: { metrics: Metrics; logger: Logger; releasers: Releasers },
): RunningEventTypes {
  const workers = createSchemaWorkers({ metrics, logger });
  releasers.add('schema workers', workers.stop);
  const catalog = createTypeCatalog(models.eventTypes, workers.start);
  releasers.add('event types', catalog.stop);
  const programs = createPrograms({ model: sharedModels.eventTypes, workers, logger });
  for (const result of results) {
    metrics.eventValidations.inc({ result }, 0);
  }
  metrics.onScrape(() => {
    metrics.eventTypesFailed.set(programs.countFailed(catalog.isCurrent));
    return Promise.resolve();
  });
  return {
    workers,
    checks: createEventChecks({ catalog, programs, workers, metrics }),
    check: catalog.check,
  };
}
