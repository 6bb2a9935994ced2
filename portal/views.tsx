import { KeyRound, Layers, Send, Webhook } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Announcements } from '../dashboard/components/announcements.js';
import { OwnFailureTexts, type FailureTexts } from '../dashboard/components/failureNotice.js';
import { Icon } from '../dashboard/components/icon.js';
import { shownName } from '../dashboard/components/shownName.js';
import { ZoneProvider } from '../dashboard/components/zone.js';
import type { Appearance } from './appearance/appearance.js';
import { EventTypeView } from './catalog/eventTypeView.js';
import { EventTypesView } from './catalog/eventTypesView.js';
import { VerifyView } from './catalog/verifyView.js';
import { HasMoved } from './components/viewFrame.js';
import { EditEndpointView, NewEndpointView } from './endpoints/changeEndpointView.js';
import { EndpointView } from './endpoints/endpointView.js';
import { EndpointsView } from './endpoints/endpointsView.js';
import { TestEndpointView } from './endpoints/testEndpointView.js';
import { EventView } from './events/eventView.js';
import { EventsView } from './events/eventsView.js';
import { sectionOf, viewOf, type View } from './navigation/view.js';
import { RecoverView } from './recovery/recoverView.js';
import { useMay, usePortal } from './session/portalContext.js';
import { SessionGate } from './session/sessionGate.js';

/** The navigation, and the view that the fragment of the address names. */
function Views({ appearance }: { readonly appearance: Appearance }) {
  const { fragment, moves } = useFragment();
  const { session } = usePortal();
  const sections = usePermittedSections();
  const view = permittedView(viewOf(fragment), sections);
  return (
    <HasMoved.Provider value={moves > 0}>
      <header class="portal-top">
        <p class="portal-name">
          {appearance.logoUrl !== null && (
            <img class="portal-logo" src={appearance.logoUrl} alt={appearance.name ?? ''} height="28" />
          )}
          {appearance.logoUrl === null && appearance.name !== null && (
            <span class="breakable">{appearance.name}</span>
          )}
          <span class="breakable quiet">{shownName(session.tenant.name, session.tenant.id)}</span>
          {session.mode === 'test' && <span class="badge badge-warn">Test mode</span>}
        </p>
        <Navigation sections={sections} chosen={sectionOf(view)} />
      </header>
      <main id="content" class="portal-content" tabIndex={-1}>
        <Shown key={fragment} view={view} />
      </main>
    </HasMoved.Provider>
  );
}

const allSections = [
  { section: 'endpoints', text: 'Endpoints', icon: Webhook, needs: 'webhooks:read' },
  { section: 'events', text: 'Events', icon: Send, needs: 'events:read' },
  { section: 'event-types', text: 'Event types', icon: Layers, needs: null },
  { section: 'verify', text: 'Verify events', icon: KeyRound, needs: null },
] as const;

type Section = (typeof allSections)[number];

/** The sections that the session may read. Every session may read the event types. */
function usePermittedSections(): readonly Section[] {
  const may = { 'webhooks:read': useMay('webhooks:read'), 'events:read': useMay('events:read') };
  return allSections.filter(({ needs }) => needs === null || may[needs]);
}

/** The view, or the first section that the session may read. */
function permittedView(view: View, permitted: readonly Section[]): View {
  const isPermitted = permitted.some(({ section }) => section === sectionOf(view));
  return isPermitted ? view : viewOf(`#/${permitted[0]?.section ?? ''}`);
}

interface NavigationProps {
  readonly sections: readonly Section[];
  readonly chosen: Section['section'];
}

function Navigation({ sections, chosen }: NavigationProps) {
  return (
    <nav class="portal-navigation" aria-label="Sections">
      <ul>
        {sections.map(({ section, text, icon }) => (
          <li key={section}>
            <a href={`#/${section}`} {...(section === chosen ? { 'aria-current': 'page' as const } : {})}>
              <Icon of={icon} />
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Shown({ view }: { readonly view: View }): ComponentChildren {
  switch (view.kind) {
    case 'endpoints':
      return <EndpointsView />;
    case 'newEndpoint':
      return <NewEndpointView />;
    case 'endpoint':
      return <EndpointView id={view.id} />;
    case 'editEndpoint':
      return <EditEndpointView id={view.id} />;
    case 'testEndpoint':
      return <TestEndpointView id={view.id} />;
    case 'recoverEvents':
      return <RecoverView id={view.id} />;
    case 'events':
      return <EventsView endpointId={view.endpointId} status={view.status} />;
    case 'event':
      return <EventView id={view.id} />;
    case 'eventTypes':
      return <EventTypesView />;
    case 'eventType':
      return <EventTypeView name={view.name} />;
    case 'verify':
      return <VerifyView />;
  }
}

/** The fragment of the address, and how often it has changed since the page was opened. */
function useFragment(): { readonly fragment: string; readonly moves: number } {
  const [state, setState] = useState({ fragment: location.hash, moves: 0 });
  useEffect(() => {
    const change = () => {
      setState(({ moves }) => ({ fragment: location.hash, moves: moves + 1 }));
    };
    addEventListener('hashchange', change);
    return () => {
      removeEventListener('hashchange', change);
    };
  }, []);
  return state;
}

/** The messages of the API name webhooks and portal sessions, which are no words of the portal. */
const failureTexts: FailureTexts = {
  portal_session_expired: 'Your session had ended. Try again.',
  resource_missing: 'Nothing with this id exists here. It may have been deleted.',
};

interface ApplicationProps {
  readonly appearance: Appearance;
  /** The token of the portal session, or null if the page was opened without one. */
  readonly token: string | null;
}

/** The whole portal: the views of one tenant for as long as its session is valid. */
export function Application({ appearance, token }: ApplicationProps) {
  return (
    <ZoneProvider>
      <OwnFailureTexts.Provider value={failureTexts}>
        <Announcements>
          <SessionGate appearance={appearance} token={token}>
            <Views appearance={appearance} />
          </SessionGate>
        </Announcements>
      </OwnFailureTexts.Provider>
    </ZoneProvider>
  );
}
