import { startApi } from '../../../api/main.js';
import { createLogger } from '../../../shared/logger.js';
import type { RunningRole } from '../../../shared/role.js';
import type { SharedService } from '../../support/service.js';

/** Another process of the service's API, but for the process. */
export function startAnotherApi(
  { config }: SharedService,
  redisUrl = config.redis.url,
): Promise<RunningRole> {
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  return startApi({ ...config, redis: { url: redisUrl } }, logger, () => new Date());
}
