import { Compass } from 'lucide';

import { LinkButton } from '../components/button.js';
import { EmptyState } from '../components/emptyState.js';
import { PageFrame } from '../components/pageFrame.js';
import { useAddress } from '../navigation/useMode.js';

export function NotFoundPage() {
  const address = useAddress();
  return (
    <PageFrame title="Page not found">
      <EmptyState
        icon={Compass}
        title="The dashboard has no page at this address"
        actions={<LinkButton href={address('/')}>Open overview</LinkButton>}
      >
        <p>Check the address, or open the overview of the dashboard.</p>
      </EmptyState>
    </PageFrame>
  );
}
