import type { Config } from '../../shared/settings/config.js';
import { createRedrive, type Redrive } from '../../shared/log/deadLetters/redrive.js';
import { createTopicScan } from '../../shared/log/client/topicScan.js';
import { withKafka } from '../environment/withKafka.js';
import type { DeadLetterSource, OnProgress } from './openDeadLetters.js';

/** Access to the dead letters of a service, to read and redrive them. */
export interface DeadLetterDesk extends DeadLetterSource {
  readonly redrive: Redrive;
}

/** Runs `work` on the dead letters, and closes the connections afterwards. */
export function withDeadLetters<Result>(
  config: Config,
  onProgress: OnProgress,
  work: (desk: DeadLetterDesk) => Promise<Result>,
): Promise<Result> {
  const { prefix, partitions } = config.topics;
  return withKafka(config, async (kafka) => {
    const producer = kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    const redrive = createRedrive({ producer, prefix, partitions, clock: () => new Date() });
    try {
      return await work({ scan: createTopicScan(kafka, prefix), prefix, onProgress, redrive });
    } finally {
      await producer.disconnect();
    }
  });
}
