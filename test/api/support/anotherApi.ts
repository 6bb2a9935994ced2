import { startApi } from '../../../api/main.js';
import { createLogger } from '../../../shared/core/logger.js';
import type { RunningRole } from '../../../shared/runtime/role.js';
import { redisAt } from '../../shared/store/redis/connections.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';
import type { SharedService } from '../../support/service.js';

/** Another API of the service. It behaves like another process, but runs in this one. */
export async function startAnotherApi({ config }: SharedService, redisUrl?: string): Promise<RunningRole> {
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  const redis = redisUrl === undefined ? config.redis : redisAt(redisUrl);
  const api = await startApi({ ...config, redis }, logger, () => new Date());
  return { ...api, stop: closeAtEndOfFile(api.stop) };
}
