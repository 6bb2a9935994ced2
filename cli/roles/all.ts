import process from 'node:process';

import { apiRole } from '../../api/main.js';
import { deliveryRole } from '../../consumers/main.js';
import { projectionsRole } from '../../projections/main.js';
import { startProcess } from '../../shared/connections/roleProcess.js';
import { createLogger } from '../../shared/core/logger.js';
import type { StartRole } from './runRole.js';

/**
 * Starts all roles in this process, for small installations. They share the connections to Kafka and MongoDB. At a stop
 * the read models are the last, because requests in flight wait for them.
 */
export const startAll: StartRole = (config, _logger, clock) =>
  startProcess([[projectionsRole], [deliveryRole, apiRole]], {
    name: 'all',
    config,
    clock,
    loggerOf: (role) => createLogger({ role, level: config.log.level, isTerminal: process.stdout.isTTY }),
  });
