import type { AccountHandlers } from './resources/account/handlers.js';
import { accountRoutes } from './resources/account/routes.js';
import type { ApiKeyHandlers } from './resources/apiKeys/handlers.js';
import { apiKeyRoutes } from './resources/apiKeys/routes.js';
import type { AttemptHandlers } from './resources/attempts/handlers.js';
import { attemptRoutes } from './resources/attempts/routes.js';
import type { AuditHandlers } from './resources/audit/handlers.js';
import { auditRoutes } from './resources/audit/routes.js';
import type { DashboardHandlers } from './dashboard/handlers.js';
import { dashboardRoutes } from './dashboard/routes.js';
import { createDocument } from './openapi/document.js';
import { createDescriptionHandlers } from './openapi/handlers.js';
import { descriptionRoutes } from './openapi/routes.js';
import { createDocumentationHandlers } from './documentation/handlers.js';
import { documentationRoutes } from './documentation/routes.js';
import type { EventStreamHandlers } from './resources/eventStream/handlers.js';
import { eventStreamRoutes } from './resources/eventStream/routes.js';
import type { EventHandlers } from './resources/events/handlers.js';
import { eventRoutes } from './resources/events/routes.js';
import type { OperationHandlers } from './resources/operations/handlers.js';
import { operationRoutes } from './resources/operations/routes.js';
import type { ReplayHandlers } from './resources/replays/handlers.js';
import { replayRoutes } from './resources/replays/routes.js';
import type { Route } from './http/route.js';
import type { SessionHandlers } from './resources/sessions/handlers.js';
import { sessionRoutes } from './resources/sessions/routes.js';
import type { StatsHandlers } from './resources/stats/handlers.js';
import { statsRoutes } from './resources/stats/routes.js';
import type { UserHandlers } from './resources/users/handlers.js';
import { userRoutes } from './resources/users/routes.js';
import type { WebhookHandlers } from './resources/webhooks/handlers.js';
import { webhookRoutes } from './resources/webhooks/routes.js';

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
