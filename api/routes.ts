import type { AccountHandlers } from './account/handlers.js';
import { accountRoutes } from './account/routes.js';
import type { ApiKeyHandlers } from './apiKeys/handlers.js';
import { apiKeyRoutes } from './apiKeys/routes.js';
import type { AttemptHandlers } from './attempts/handlers.js';
import { attemptRoutes } from './attempts/routes.js';
import type { AuditHandlers } from './audit/handlers.js';
import { auditRoutes } from './audit/routes.js';
import type { DashboardHandlers } from './dashboard/handlers.js';
import { dashboardRoutes } from './dashboard/routes.js';
import { createDocument } from './description/document.js';
import { createDescriptionHandlers } from './description/handlers.js';
import { descriptionRoutes } from './description/routes.js';
import { createDocumentationHandlers } from './documentation/handlers.js';
import { documentationRoutes } from './documentation/routes.js';
import type { EventStreamHandlers } from './eventStream/handlers.js';
import { eventStreamRoutes } from './eventStream/routes.js';
import type { EventHandlers } from './events/handlers.js';
import { eventRoutes } from './events/routes.js';
import type { OperationHandlers } from './operations/handlers.js';
import { operationRoutes } from './operations/routes.js';
import type { ReplayHandlers } from './replays/handlers.js';
import { replayRoutes } from './replays/routes.js';
import type { Route } from './route.js';
import type { SessionHandlers } from './sessions/handlers.js';
import { sessionRoutes } from './sessions/routes.js';
import type { StatsHandlers } from './stats/handlers.js';
import { statsRoutes } from './stats/routes.js';
import type { UserHandlers } from './users/handlers.js';
import { userRoutes } from './users/routes.js';
import type { WebhookHandlers } from './webhooks/handlers.js';
import { webhookRoutes } from './webhooks/routes.js';

export interface Handlers {
  readonly events: EventHandlers;
  readonly eventStream: EventStreamHandlers;
  readonly webhooks: WebhookHandlers;
  readonly apiKeys: ApiKeyHandlers;
  readonly audit: AuditHandlers;
  readonly attempts: AttemptHandlers;
  readonly replays: ReplayHandlers;
  readonly stats: StatsHandlers;
  readonly account: AccountHandlers;
  readonly users: UserHandlers;
  readonly sessions: SessionHandlers;
  readonly dashboard: DashboardHandlers;
  readonly operations: OperationHandlers;
}

/** The API: one entry for each operation. Routing, 404, 405, validation and the API's description follow from it. */
export function createRoutes(handlers: Handlers): readonly Route[] {
  const describe = () => createDocument(routes);
  const routes: readonly Route[] = [
    ...eventStreamRoutes(handlers.eventStream),
    ...eventRoutes(handlers.events),
    ...webhookRoutes(handlers.webhooks),
    ...attemptRoutes(handlers.attempts),
    ...replayRoutes(handlers.replays),
    ...statsRoutes(handlers.stats),
    ...apiKeyRoutes(handlers.apiKeys),
    ...accountRoutes(handlers.account),
    ...userRoutes(handlers.users),
    ...sessionRoutes(handlers.sessions),
    ...auditRoutes(handlers.audit),
    ...operationRoutes(handlers.operations),
    ...dashboardRoutes(handlers.dashboard),
    ...descriptionRoutes(createDescriptionHandlers(describe)),
    ...documentationRoutes(createDocumentationHandlers(() => routes, describe)),
  ];
  return routes;
}
