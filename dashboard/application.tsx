import { LocationProvider } from 'preact-iso/router';

import { Announcements } from './components/announcements.js';
import { Layout } from './layout/layout.js';
import { home } from './navigation/places.js';
import { SessionGate } from './session/sessionGate.js';

/** The whole page: who is signed in sees the layout with its pages, who is not signs in. */
export function Application() {
  return (
    <LocationProvider scope={home}>
      <Announcements>
        <SessionGate>
          <Layout />
        </SessionGate>
      </Announcements>
    </LocationProvider>
  );
}
