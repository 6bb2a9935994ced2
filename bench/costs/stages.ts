import type { ProcessRole } from '../pipelines/roles.js';
import type { Frame, Stack } from './cpuProfile.js';

/** The stages of an event, and the work that belongs to no single one. */
export const stages = [
  'parse',
  'seal',
  'sign',
  'look-up',
  'produce',
  'consume',
  'schedule',
  'HTTP',
  'fold',
  'write',
  'log lines',
  'garbage collection',
  'native code',
  'other',
] as const;

export type Stage = (typeof stages)[number];

interface Rule {
  readonly stage: Stage;
  /** Of `location#function`. */
  readonly pattern: RegExp;
  /** All by default. */
  readonly roles?: readonly ProcessRole[];
}

/**
 * The first matching rule decides. No rule matches the general modules of Node (streams, sockets, promises): their time belongs to their
 * caller.
 */
const rules: readonly Rule[] = [
  { stage: 'garbage collection', pattern: /#\(garbage collector\)$/ },
  { stage: 'native code', pattern: /#\(program\)$/ },
  { stage: 'sign', pattern: /^shared\/domain\/webhooks\/sign/ },
  { stage: 'seal', pattern: /^shared\/(encryption\/|security\/secretBox)/ },
  {
    stage: 'produce',
    pattern: /^shared\/log\/(producer\/|recordFormat\/encode|(encoding|records)\/.*#encode)/,
  },
  { stage: 'parse', pattern: /^shared\/log\/(recordFormat|encoding|records)\// },
  {
    stage: 'parse',
    pattern: /^(api\/(middleware\/jsonBody|http\/(validation|schemas))|shared\/domain\/events\/jsonText)/,
  },
  { stage: 'parse', pattern: /^(koa-bodyparser|co-body|raw-body|zod)\// },
  { stage: 'write', pattern: /^(shared\/store|mongodb|bson)\//, roles: ['projections'] },
  { stage: 'look-up', pattern: /^(shared\/store|mongodb|bson|ioredis|rate-limiter-flexible|redis-parser)\// },
  {
    stage: 'look-up',
    pattern: /^(api\/(authentication|idempotency)|consumers\/lookups|shared\/connections)\//,
  },
  { stage: 'fold', pattern: /^(projections\/(fold|models)|shared\/domain)\// },
  { stage: 'produce', pattern: /^kafkajs\//, roles: ['api'] },
  { stage: 'consume', pattern: /^(kafkajs|shared\/log|projections)\// },
  { stage: 'log lines', pattern: /^(pino|sonic-boom|thread-stream|shared\/core\/logger)/ },
  { stage: 'HTTP', pattern: /^(consumers\/http|api|koa[^/]*|@koa|node-fetch)\// },
  { stage: 'HTTP', pattern: /^node:(_http|http|https|internal\/(http|url)|url|dns)/ },
  { stage: 'schedule', pattern: /^consumers\// },
];

/** The stage of the innermost function that has one. */
export function stageOf(role: ProcessRole, { frames }: Pick<Stack, 'frames'>): Stage {
  for (const frame of frames.toReversed()) {
    const stage = stageOfFrame(role, frame);
    if (stage !== null) {
      return stage;
    }
  }
  return 'other';
}

function stageOfFrame(role: ProcessRole, { name, location }: Frame): Stage | null {
  const text = `${location}#${name}`;
  const rule = rules.find(({ pattern, roles }) => (roles?.includes(role) ?? true) && pattern.test(text));
  return rule?.stage ?? null;
}
