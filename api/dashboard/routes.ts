import { openRoute, type Route } from '../http/route.js';
import type { DashboardHandlers } from './handlers.js';

/** The page and its files: no operations of the API, so its description has none of them. */
export function dashboardRoutes(dashboard: DashboardHandlers): readonly Route[] {
  return ['/dashboard', '/dashboard/', '/dashboard/*path'].map((path) =>
    openRoute({
      path,
      operationId: 'readDashboard',
      tag: 'Description',
      summary: 'Open the dashboard',
      description: 'A page for a browser, and its files.',
      response: null,
      mediaType: 'text/html',
      isUndescribed: true,
      errors: ['route_not_found'],
      handle: ({ id }) => dashboard.file(id),
    }),
  );
}
