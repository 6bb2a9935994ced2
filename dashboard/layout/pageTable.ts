import type { ComponentType } from 'preact';

import { newTypePlace } from '../eventTypes/places.js';
import type { PageProps } from '../navigation/pageProps.js';
import { pagePlaces, type PagePlace } from './pagePlaces.js';

type PageComponent = ComponentType<PageProps>;

export interface PageEntry {
  /** The path of the page, as in `pagePlaces`. */
  readonly place: string;
  /** Loads the script of the page, when the page is first opened. */
  readonly load: () => Promise<PageComponent>;
}

const loads: Readonly<Record<PagePlace, PageEntry['load']>> = {
  '/': async () => (await import('../overview/overviewPage.js')).OverviewPage,
  '/events': async () => (await import('../events/eventsPage.js')).EventsPage,
  '/events/new': async () => (await import('../integration/postEventPage.js')).PostEventPage,
  '/events/:id': async () => (await import('../events/eventPage.js')).EventPage,
  '/events/:id/attempts/:innerId': async () => (await import('../events/attemptPage.js')).AttemptPage,
  '/attempts': async () => (await import('../attempts/attemptsPage.js')).AttemptsPage,
  '/webhooks': async () => (await import('../webhooks/webhooksPage.js')).WebhooksPage,
  '/webhooks/new': async () => (await import('../webhooks/newWebhookPage.js')).NewWebhookPage,
  '/webhooks/:id': async () => (await import('../webhooks/webhookPage.js')).WebhookPage,
  '/webhooks/:id/recover': async () => (await import('../recovery/recoveryPage.js')).RecoveryPage,
  '/event-types': async () => (await import('../eventTypes/typesPage.js')).TypesPage,
  [newTypePlace]: async () => (await import('../eventTypes/newTypePage.js')).NewTypePage,
  '/event-types/:id': async () => (await import('../eventTypes/typePage.js')).TypePage,
  '/webhooks/:id/test': async () => (await import('../integration/testEventPage.js')).TestEventPage,
  '/webhooks/:id/verify': async () => (await import('../integration/verifyPage.js')).VerifyPage,
  '/webhooks/:id/preview': async () => (await import('../integration/previewPage.js')).PreviewPage,
  '/tenants': async () => (await import('../tenants/tenantsPage.js')).TenantsPage,
  '/tenants/:id': async () => (await import('../tenants/tenantPage.js')).TenantPage,
  '/portal': async () => (await import('../portalSettings/portalPage.js')).PortalPage,
  '/api-keys': async () => (await import('../keys/apiKeysPage.js')).ApiKeysPage,
  '/users': async () => (await import('../users/usersPage.js')).UsersPage,
  '/audit-log': async () => (await import('../audit/auditPage.js')).AuditPage,
  '/plan': async () => (await import('../plan/planPage.js')).PlanPage,
};

const pages: readonly PageEntry[] = pagePlaces.map((place) => ({ place, load: loads[place] }));

const nothing: PageEntry = {
  place: '',
  load: async () => (await import('./notFoundPage.js')).NotFoundPage,
};

export interface PageMatch extends PageProps {
  readonly entry: PageEntry;
}

/** The page at a path, or the page for an unknown path. */
export function pageAt(place: string): PageMatch {
  const segments = place.split('/');
  const entry = pages.find((each) => matches(each.place.split('/'), segments)) ?? nothing;
  const valueOf = (name: string) => segments[entry.place.split('/').indexOf(name)] ?? '';
  return { entry, id: valueOf(':id'), innerId: valueOf(':innerId') };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => part === segments[at] || (part.startsWith(':') && segments[at] !== ''))
  );
}
