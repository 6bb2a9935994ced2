import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { Notice } from '../../dashboard/components/notice.js';
import type { Appearance } from '../appearance/appearance.js';
import { createParentPage, type ParentPage } from './parentPage.js';
import { PortalContext } from './portalContext.js';
import { useSession } from './useSession.js';

interface SessionGateProps {
  readonly appearance: Appearance;
  readonly token: string | null;
  readonly children: ComponentChildren;
}

/**
 * Renders its children while the session is known. When the session ends, the children stay below a notice. So a new token
 * from the host page loses nothing that the user has typed.
 */
export function SessionGate({ appearance, token: first, children }: SessionGateProps) {
  const parent = useMemo(() => createParentPage(window, appearance.origins), [appearance]);
  const { access, isExpired, failed } = useSession(first, parent);
  useHeight(parent);
  return (
    <>
      {isExpired && <Expired name={appearance.name} wasOpen={access !== null} />}
      {failed !== null && <FailureNotice failure={failed.reason} onRetry={failed.retry} />}
      {access !== null && <PortalContext.Provider value={access}>{children}</PortalContext.Provider>}
      {access === null && !isExpired && failed === null && (
        <div class="opening" role="status">
          <span class="hidden">Opening the page</span>
        </div>
      )}
    </>
  );
}

interface ExpiredProps {
  /** The name of the platform, or null. */
  readonly name: string | null;
  /** Whether the page shows what the user did before. */
  readonly wasOpen: boolean;
}

function Expired({ name, wasOpen }: ExpiredProps) {
  return (
    <div class="expired">
      <Notice kind="bad">
        <p>
          <strong>Your session has ended.</strong> Open this page again from{' '}
          {name ?? 'the site that led you here'}.
          {wasOpen && ' Until then, what you have typed stays on this page.'}
        </p>
      </Notice>
    </div>
  );
}

/** Reports the height of the page to the host page, which has no other way to know it. */
function useHeight(parent: ParentPage): void {
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      parent.post({ type: 'postrider:resize', height: Math.ceil(document.body.scrollHeight) });
    });
    observer.observe(document.body);
    return () => {
      observer.disconnect();
    };
  }, [parent]);
}
