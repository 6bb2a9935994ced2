import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'chai';

import { stageOf } from '../../../bench/costs/stages.js';
import type { Role } from '../../../bench/pipelines/roles.js';

/** Frames in the form `location#function`, from the outermost function on. */
const stageOfFrames = (role: Role, ...frames: string[]) =>
  stageOf(role, {
    frames: frames.map((frame) => {
      const [location = '', name = ''] = frame.split('#');
      return { location, name };
    }),
  });

describe('the stage of a stack', () => {
  for (const [role, frames, stage] of [
    [
      'delivery',
      ['consumers/engine/executeAttempt.js#run', 'shared/domain/webhooks/signature.js#sign'],
      'sign',
    ],
    ['api', ['api/server.js#handle', 'shared/encryption/sealingLog.js#seal', 'node:crypto#update'], 'seal'],
    ['api', ['koa/lib/application.js#handle', 'api/middleware/jsonBody.js#read'], 'parse'],
    [
      'delivery',
      ['kafkajs/src/consumer/runner.js#run', 'shared/log/recordFormat/decodeRecord.js#decode'],
      'parse',
    ],
    ['api', ['shared/log/producer/sendRequest.js#send', 'node:net#write'], 'produce'],
    ['api', ['kafkajs/src/network/connection.js#send'], 'produce'],
    ['delivery', ['kafkajs/src/network/connection.js#onData'], 'consume'],
    ['api', ['api/authentication/apiKeyLookup.js#find', 'mongodb/lib/cursor.js#next'], 'look-up'],
    ['projections', ['projections/fold/foldBatch.js#fold', 'mongodb/lib/bulk.js#execute'], 'write'],
    ['projections', ['projections/fold/foldBatch.js#fold', 'projections/models/events.js#evolve'], 'fold'],
    ['delivery', ['consumers/http/exchange.js#exchange', 'node-fetch/lib/index.js#fetch'], 'HTTP'],
    ['delivery', ['consumers/fairness/fairQueue.js#next'], 'schedule'],
    ['api', ['pino/lib/proto.js#write'], 'log lines'],
    ['api', ['api/server.js#handle', '#(garbage collector)'], 'garbage collection'],
    ['api', ['#(program)'], 'native code'],
    ['api', ['node:internal/timers#listOnTimeout'], 'other'],
  ] as const) {
    it(`is "${stage}" in ${role} if the innermost frame is ${frames.at(-1)}`, () => {
      expect(stageOfFrames(role, ...frames)).to.equal(stage);
    });
  }

  it('is that of the caller for general modules of Node', () => {
    expect(
      stageOfFrames(
        'delivery',
        'consumers/http/exchange.js#exchange',
        'node:internal/streams/writable#write',
      ),
    ).to.equal('HTTP');
  });

  it('has rules for folders and files that exist', () => {
    const rules = readFileSync('bench/costs/stages.ts', 'utf8');
    const places = [
      'shared/domain/webhooks',
      'shared/encryption',
      'shared/log/producer',
      'shared/log/recordFormat',
    ];
    for (const place of [
      ...places,
      'api/authentication',
      'api/idempotency',
      'consumers/lookups',
      'consumers/http',
    ]) {
      const [folder = '', ...rest] = place.split('/');
      expect(rules.replaceAll('\\/', '/')).to.include(rest.at(-1) ?? folder);
      expect(readdirSync(join(place)), place).not.to.have.length(0);
    }
  });
});
