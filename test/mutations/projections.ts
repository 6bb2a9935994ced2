import {
  drop,
  replaceCall,
  replaceCondition,
  replaceName,
  replaceOperator,
  replaceReturn,
  replaceValue,
} from './changes.js';
import type { Mutation } from './mutation.js';

export const projectionMutations: readonly Mutation[] = [
  {
    file: 'projections/main.ts',
    function: 'startCatchUp.outcomesFirst',
    change: replaceName('deliveries', "'replays'"),
    test: 'test/projections/main.test.ts',
  },
  {
    file: 'shared/store/generations/generationConversion.ts',
    function: 'createGenerationConversion.write',
    change: drop('matchedCount'),
    test: 'test/shared/store/generations/generationConversion.test.ts',
  },
  {
    file: 'shared/store/models/generationCache.ts',
    function: 'createGenerationCache.awaited.others',
    change: replaceName('read', 'null'),
    test: 'test/shared/store/models/generationCache.test.ts',
  },
  {
    file: 'cli/rebuild/expiredDocuments.ts',
    function: 'createHasExpired',
    change: drop('isFinal'),
    test: 'test/cli/rebuild/expiredDocuments.test.ts',
  },
  {
    file: 'projections/erasure/expirySweep.ts',
    function: 'findDoneEvents',
    change: replaceOperator('<', '<='),
    test: 'test/projections/erasure/expirySweep.test.ts',
  },
  {
    file: 'projections/erasure/expirySweep.ts',
    function: 'findDoneEvents.hasReached',
    change: replaceValue('true'),
    test: 'test/projections/erasure/expirySweep.test.ts',
  },
  {
    file: 'projections/runtime/runner.ts',
    function: 'createProjectionRunner.handleFetched',
    change: drop('session'),
    test: 'test/projections/runtime/runnerRebalance.test.ts',
  },
  {
    file: 'projections/runtime/runner.ts',
    function: 'createProjectionRunner.mustReopen',
    change: replaceReturn('Promise.resolve(false)'),
    test: 'test/projections/runtime/runner.test.ts',
  },
  {
    file: 'projections/generations/switchover.ts',
    function: 'createSwitchover.startSwitch',
    change: drop('complete'),
    test: 'test/projections/generations/switchover.test.ts',
  },
  {
    file: 'projections/generations/switchover.ts',
    function: 'createSwitchover.startSwitch',
    change: drop('wasClose'),
    test: 'test/projections/generations/switchover.test.ts',
  },
  {
    file: 'projections/generations/switchover.ts',
    function: 'createSwitchover.advanceBuilding',
    change: replaceCondition('cacheExpiry', 'true'),
    test: 'test/projections/generations/switchover.test.ts',
  },
  {
    file: 'projections/generations/switchover.ts',
    function: 'waitForPositions',
    change: replaceReturn('true'),
    test: 'test/projections/generations/switchover.test.ts',
  },
  {
    file: 'projections/generations/switchComparison.ts',
    function: 'rejectionThreshold',
    change: replaceValue('1'),
    test: 'test/projections/generations/switchover.test.ts',
  },
  {
    file: 'projections/generations/switchComparison.ts',
    function: 'createSwitchComparison.compareExactly',
    change: replaceCondition('rejectionThreshold', 'false'),
    test: 'test/projections/generations/switchover.test.ts',
  },
  {
    file: 'projections/runtime/readRecords.ts',
    function: 'createUnfoldedRecords.append',
    change: replaceCall('isBuilding', 'false'),
    test: 'test/endToEnd/rebuild.test.ts',
  },
  {
    file: 'projections/models/stats.ts',
    function: 'seriesOf',
    change: replaceCondition('everyTenant', 'false'),
    test: 'test/projections/models/stats.test.ts',
  },
  {
    file: 'projections/erasure/tenantErasure.ts',
    function: 'createTenantErasure.erase',
    change: drop('isEmpty'),
    test: 'test/projections/erasure/tenantErasure.test.ts',
  },
  {
    file: 'projections/erasure/settledLives.ts',
    function: 'createSettledLives',
    change: replaceOperator('<', '<=', 1),
    test: 'test/projections/erasure/settledLives.test.ts',
  },
  {
    file: 'shared/store/queries/tenantDocuments.ts',
    function: 'belongsTo',
    change: replaceCall('containsEvent', 'true'),
    test: 'test/shared/store/queries/tenantDocuments.test.ts',
  },
  {
    file: 'shared/tenants/erasedLives.ts',
    function: 'isOfLife',
    change: drop('tenancy'),
    test: 'test/shared/tenants/erasedLives.test.ts',
  },
];
