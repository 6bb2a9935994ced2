import { drop, replaceName } from './changes.js';
import type { Mutation } from './mutation.js';

export const projectionMutations: readonly Mutation[] = [
  {
    file: 'projections/main.ts',
    function: 'startCatchUp.outcomesFirst',
    change: replaceName('deliveries', "'replays'"),
    test: 'test/projections/main.test.ts',
    title: 'begins with events in the model events once',
  },
  {
    file: 'shared/store/generations/generationConversion.ts',
    function: 'createGenerationConversion.write',
    change: drop('matchedCount'),
    test: 'test/shared/store/generations/generationConversion.test.ts',
    title: 'converts each document once',
  },
  {
    file: 'shared/store/models/generationCache.ts',
    function: 'createGenerationCache.awaited.others',
    change: replaceName('read', 'null'),
    test: 'test/shared/store/models/generationCache.test.ts',
    title: 'waits for both generations shortly after a switch',
  },
  {
    file: 'cli/rebuild/expiredDocuments.ts',
    function: 'createHasExpired',
    change: drop('isFinal'),
    test: 'test/cli/rebuild/expiredDocuments.test.ts',
    title: 'of which a delivery is open',
  },
];
