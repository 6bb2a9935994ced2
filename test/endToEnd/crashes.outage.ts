import { testCrashes } from '../support/crashes/testCrashes.js';

testCrashes({
  title: 'processes that are killed while deliveries fail and are repeated',
  timeoutMs: 300_000,
  seed: 20_261_121,
  eventsPerSecond: 40,
  kills: ['delivery', 'all projections'],
  betweenKillsMs: { least: 500, most: 2500 },
});
