import type { Metrics } from './metrics.js';
import type { Readiness } from './readiness.js';

export interface ReadinessReportDependencies {
  readonly readiness: Pick<Readiness, 'read'>;
  readonly metrics: Pick<Metrics, 'onScrape' | 'ready' | 'serverReachable'>;
}

/** The checks of servers, whether readiness depends on them or not. */
const servers = ['kafka', 'mongodb', 'redis'];

/** Reports at each scrape whether the process is ready, and which of its servers answer. */
export function reportReadiness({ readiness, metrics }: ReadinessReportDependencies): void {
  metrics.onScrape(async () => {
    const { ready, checks } = await readiness.read();
    metrics.ready.set(Number(ready));
    for (const server of servers.filter((name) => checks[name] !== undefined)) {
      metrics.serverReachable.set({ server }, Number(checks[server] === 'ok'));
    }
  });
}
