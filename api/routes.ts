import type { PageFiles } from './dashboard/pageFiles.js';
import { dashboardRoutes } from './dashboard/routes.js';
import { createDocumentationHandlers } from './documentation/handlers.js';
import { documentationRoutes } from './documentation/routes.js';
import type { SwaggerUi } from './documentation/swaggerUi.js';
import type { Route } from './http/route.js';
import { createDocument, openApiRoutes } from './openapi/document.js';
import { accountRoutes, type AccountHandlers } from './resources/account/routes.js';
import { apiKeyRoutes, type ApiKeyHandlers } from './resources/apiKeys/routes.js';
import { attemptRoutes, type AttemptHandlers } from './resources/attempts/routes.js';
import { auditRoutes, type AuditHandlers } from './resources/audit/routes.js';
import { eventStreamRoutes, type EventStreamHandlers } from './resources/eventStream/routes.js';
import { eventRoutes, type EventHandlers } from './resources/events/routes.js';
import { operationRoutes, type OperationHandlers } from './resources/operations/routes.js';
import { replayRoutes, type ReplayHandlers } from './resources/replays/routes.js';
import { sessionRoutes, type SessionHandlers } from './resources/sessions/routes.js';
import { statsRoutes, type StatsHandlers } from './resources/stats/routes.js';
import { userRoutes, type UserHandlers } from './resources/users/routes.js';
import { webhookRoutes, type WebhookHandlers } from './resources/webhooks/routes.js';

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
  readonly operations: OperationHandlers;
}

/** The files of the dashboard and the documentation, from the build. */
export interface BuiltPages {
  readonly pageFiles: PageFiles;
  /** The files of Swagger UI, or null if the build has not run. */
  readonly swaggerUi: SwaggerUi | null;
}

/**
 * The table of all operations. Routing, validation, the errors 404 and 405, and the OpenAPI document are derived from
 * the table.
 */
export function createRoutes(handlers: Handlers, { pageFiles, swaggerUi }: BuiltPages): readonly Route[] {
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
    ...dashboardRoutes(pageFiles),
    ...openApiRoutes(() => createDocument(routes)),
    ...documentationRoutes(createDocumentationHandlers(swaggerUi)),
  ];
  return routes;
}
