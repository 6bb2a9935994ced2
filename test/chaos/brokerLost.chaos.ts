import { setTimeout as pause } from 'node:timers/promises';

import { makeDirectory, removeDirectories } from '../stack/directories.js';
import { startKafkaCluster, type KafkaCluster } from '../stack/kafkaCluster.js';
import { hurtSettings, runHurt, type HurtResult } from '../support/crashes/hurtRun.js';
import { testEnds } from '../support/crashes/testEnds.js';
import { isolatedSettings } from '../support/settings.js';
import { printEnds } from './printEnds.js';

/** The time with events before and after the loss of the broker. */
const aroundMs = 15_000;

describe('the permanent loss of one of three brokers during deliveries', function () {
  this.timeout(300_000);

  let cluster: KafkaCluster;
  let result: HurtResult;

  before(async () => {
    cluster = await startKafkaCluster({ brokers: 3, directory: await makeDirectory() });
    const settings = await isolatedSettings({
      ...hurtSettings,
      KAFKA_BROKERS: cluster.brokers.join(),
      POSTRIDER_REPLICATION: '3',
    });
    result = await runHurt({ settings, seed: 12, eventsPerSecond: 60 }, async () => {
      await pause(aroundMs);
      await cluster.killBroker(2);
      await pause(aroundMs);
    });
    printEnds('one of three brokers permanently lost', result);
  });

  after(async () => {
    await cluster.stop();
    await removeDirectories();
  });

  testEnds(() => result);
});
