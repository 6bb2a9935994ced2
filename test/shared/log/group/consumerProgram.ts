import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { createKafkaClient } from '../../../../shared/log/client/client.js';
import { createLogger } from '../../../../shared/core/logger.js';
import { boundsOf } from '../window/bounds.js';
import type { ConsumerOrder } from './consumerProcess.js';
import { startMember } from './member.js';
import { createSeeded } from './seeded.js';

/**
 * A consumer that the tests kill. It joins its group when it gets its order. It writes the beginning and the end of each
 * record into a journal, each line before it continues: `b 2/17`, `d 2/17`.
 */
process.once('disconnect', () => process.exit(0));
process.once('message', (order: ConsumerOrder) => void run(order));
process.send?.('ready');

async function run({ config, journal, seed, group }: ConsumerOrder): Promise<void> {
  const logger = createLogger({ role: 'consumer', level: 'silent', isTerminal: false });
  const kafka = createKafkaClient(config.kafka, { clientId: 'consumer', logger });
  const file = openSync(journal, 'a');
  const random = createSeeded(seed);

  await startMember(
    { config, kafka, logger },
    {
      group,
      bounds: boundsOf(40),
      handle: async ({ partition, offset }) => {
        const isSlow = random() < 0.03;
        writeSync(file, `b ${partition}/${offset}\n`);
        await pause(isSlow ? 40 + 60 * random() : 10 * random());
        writeSync(file, `d ${partition}/${offset}\n`);
        return 'done';
      },
    },
  );
}
