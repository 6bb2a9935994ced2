import { Announcements } from '../dashboard/components/announcements.js';
import { ZoneProvider } from '../dashboard/components/zone.js';
import type { Appearance } from './appearance/appearance.js';
import { SessionGate } from './session/sessionGate.js';
import { Views } from './views.js';

interface ApplicationProps {
  readonly appearance: Appearance;
  /** The token of the portal session, or null if the page was opened without one. */
  readonly token: string | null;
}

/** The whole portal: the views of one tenant for as long as its session is valid. */
export function Application({ appearance, token }: ApplicationProps) {
  return (
    <ZoneProvider>
      <Announcements>
        <SessionGate appearance={appearance} token={token}>
          <Views appearance={appearance} />
        </SessionGate>
      </Announcements>
    </ZoneProvider>
  );
}
