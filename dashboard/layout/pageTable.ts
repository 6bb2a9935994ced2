import type { ComponentType } from 'preact';

import type { PageProps } from '../navigation/pageProps.js';

type PageComponent = ComponentType<PageProps>;

export interface PageEntry {
  /** The path of the page, with `:id` for the id of a resource. */
  readonly place: string;
  /** Loads the script of the page, when the page is first opened. */
  readonly load: () => Promise<PageComponent>;
}

const pages: readonly PageEntry[] = [
  { place: '/', load: async () => (await import('../overview/overviewPage.js')).OverviewPage },
  { place: '/events', load: async () => (await import('../events/eventsPage.js')).EventsPage },
  { place: '/events/:id', load: async () => (await import('../events/eventPage.js')).EventPage },
  { place: '/webhooks', load: async () => (await import('../webhooks/webhooksPage.js')).WebhooksPage },
  {
    place: '/webhooks/new',
    load: async () => (await import('../webhooks/newWebhookPage.js')).NewWebhookPage,
  },
  { place: '/webhooks/:id', load: async () => (await import('../webhooks/webhookPage.js')).WebhookPage },
  {
    place: '/webhooks/:id/recover',
    load: async () => (await import('../recovery/recoveryPage.js')).RecoveryPage,
  },
  { place: '/api-keys', load: async () => (await import('../keys/apiKeysPage.js')).ApiKeysPage },
  { place: '/users', load: async () => (await import('../users/usersPage.js')).UsersPage },
  { place: '/audit-log', load: async () => (await import('../audit/auditPage.js')).AuditPage },
  { place: '/plan', load: async () => (await import('../plan/planPage.js')).PlanPage },
];

const nothing: PageEntry = {
  place: '',
  load: async () => (await import('./notFoundPage.js')).NotFoundPage,
};

export interface PageMatch {
  readonly entry: PageEntry;
  readonly id: string;
}

/** The page at a path, or the page for an unknown path. */
export function pageAt(place: string): PageMatch {
  const segments = place.split('/');
  const entry = pages.find((each) => matches(each.place.split('/'), segments)) ?? nothing;
  return { entry, id: segments[entry.place.split('/').indexOf(':id')] ?? '' };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => part === segments[at] || (part === ':id' && segments[at] !== ''))
  );
}
