import type { PageFiles } from './dashboard/pageFiles.js';
import { dashboardRoutes } from './dashboard/routes.js';
import { documentationRoutes } from './documentation/routes.js';
import type { SwaggerUi } from './documentation/swaggerUi.js';
import type { Route } from './http/route.js';
import { createDocument, openApiRoutes } from './openapi/document.js';
import type { PortalPages } from './portal/portalPages.js';
import { portalRoutes } from './portal/routes.js';
import { accountRoutes, type AccountHandlers } from './resources/account/routes.js';
import { apiKeyRoutes, type ApiKeyHandlers } from './resources/apiKeys/routes.js';
import { attemptRoutes, type AttemptHandlers } from './resources/attempts/routes.js';
import { auditRoutes, type AuditHandlers } from './resources/audit/routes.js';
import { eventTypeRoutes, type EventTypeHandlers } from './resources/eventTypes/routes.js';
import { eventStreamRoutes, type EventStreamHandlers } from './resources/eventStream/routes.js';
import { postRoutes, type PostHandlers } from './resources/postedEvents/postRoutes.js';
import { eventRoutes, type EventHandlers } from './resources/events/routes.js';
import { operationRoutes, type OperationHandlers } from './resources/operations/routes.js';
import { portalSessionRoutes, type PortalSessionHandlers } from './resources/portalSessions/routes.js';
import { replayRoutes, type ReplayHandlers } from './resources/replays/routes.js';
import { sessionRoutes, type SessionHandlers } from './resources/sessions/routes.js';
import { statsRoutes, type StatsHandlers } from './resources/stats/routes.js';
import { tenantRoutes, type TenantHandlers } from './resources/tenants/routes.js';
import { userRoutes, type UserHandlers } from './resources/users/routes.js';
import { healthRoutes, type HealthHandlers } from './resources/webhooks/healthRoutes.js';
import { previewRoutes, type PreviewHandlers } from './resources/webhooks/previewRoutes.js';
import { webhookRoutes, type WebhookHandlers } from './resources/webhooks/routes.js';

export interface Handlers {
  readonly events: EventHandlers & PostHandlers;
  readonly eventStream: EventStreamHandlers;
  readonly eventTypes: EventTypeHandlers;
  readonly webhooks: WebhookHandlers;
  readonly health: HealthHandlers;
  readonly preview: PreviewHandlers;
  readonly apiKeys: ApiKeyHandlers;
  readonly audit: AuditHandlers;
  readonly attempts: AttemptHandlers;
  readonly replays: ReplayHandlers;
  readonly stats: StatsHandlers;
  readonly tenants: TenantHandlers;
  readonly account: AccountHandlers;
  readonly users: UserHandlers;
  readonly sessions: SessionHandlers;
  readonly operations: OperationHandlers;
  readonly portalSessions: PortalSessionHandlers;
  readonly portalPages: PortalPages;
}

/** The files of the pages, from the build. */
export interface BuiltPages {
  readonly pageFiles: PageFiles;
  /** The files of the customer portal. */
  readonly portalFiles: PageFiles;
  /** The files of Swagger UI, or null if the build has not run. */
  readonly swaggerUi: SwaggerUi | null;
}

/**
 * The table of all operations. Routing, validation, the errors 404 and 405, and the OpenAPI document are derived from
 * the table.
 */
export function createRoutes(
  handlers: Handlers,
  { pageFiles, portalFiles, swaggerUi }: BuiltPages,
): readonly Route[] {
  const routes: readonly Route[] = [
    ...eventStreamRoutes(handlers.eventStream),
    ...postRoutes(handlers.events),
    ...eventRoutes(handlers.events),
    ...eventTypeRoutes(handlers.eventTypes),
    ...webhookRoutes(handlers.webhooks),
    ...healthRoutes(handlers.health),
    ...previewRoutes(handlers.preview),
    ...attemptRoutes(handlers.attempts),
    ...replayRoutes(handlers.replays),
    ...statsRoutes(handlers.stats),
    ...tenantRoutes(handlers.tenants),
    ...apiKeyRoutes(handlers.apiKeys),
    ...accountRoutes(handlers.account),
    ...portalSessionRoutes(handlers.portalSessions),
    ...userRoutes(handlers.users),
    ...sessionRoutes(handlers.sessions),
    ...auditRoutes(handlers.audit),
    ...operationRoutes(handlers.operations),
    ...dashboardRoutes(pageFiles),
    ...portalRoutes(portalFiles, handlers.portalPages),
    ...openApiRoutes(() => createDocument(routes)),
    ...documentationRoutes(swaggerUi),
  ];
  return routes;
}
