import { LocationProvider } from 'preact-iso/router';

import { Announcements } from './components/announcements.js';
import { ZoneProvider } from './components/zone.js';
import { Layout } from './layout/layout.js';
import { home } from './navigation/places.js';
import { SessionGate } from './session/sessionGate.js';

/** The whole dashboard: the layout with its pages after the sign-in, otherwise the sign-in page. */
export function Application() {
  return (
    <LocationProvider scope={home}>
      <ZoneProvider>
        <Announcements>
          <SessionGate>
            <Layout />
          </SessionGate>
        </Announcements>
      </ZoneProvider>
    </LocationProvider>
  );
}
