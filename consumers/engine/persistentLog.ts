import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../../shared/core/errors.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import type { Logger } from '../../shared/core/logger.js';

const pauseMs = 200;

/**
 * Appends until the log has it: what has happened, or was decided, is not made undone by an outage. Whoever waits has a
 * record that is not done, so what the process takes with it when it ends is begun again from there.
 */
export function createPersistentLog(log: LogAppender, logger: Pick<Logger, 'warn'>): LogAppender {
  const untilAcknowledged: LogAppender['appendTogether'] = async (records) => {
    for (;;) {
      try {
        return await log.appendTogether(records);
      } catch (error) {
        const [{ topic, key }] = records;
        logger.warn({ topic, key, error: messageOf(error) }, 'a record waits for the log');
        await pause(pauseMs);
      }
    }
  };
  return { append: (record) => untilAcknowledged([record]), appendTogether: untilAcknowledged };
}
