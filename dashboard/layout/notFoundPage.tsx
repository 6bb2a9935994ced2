import { Compass } from 'lucide';

import { LinkButton } from '../components/button.js';
import { EmptyState } from '../components/emptyState.js';
import { PageFrame } from '../components/pageFrame.js';
import { useAddress } from '../navigation/useMode.js';

export function NotFoundPage() {
  const address = useAddress();
  return (
    <PageFrame title="Nothing here">
      <EmptyState
        icon={Compass}
        title="There is no page at this address"
        actions={<LinkButton href={address('/')}>Go to the overview</LinkButton>}
      >
        <p>Check the address, or start from the overview.</p>
      </EmptyState>
    </PageFrame>
  );
}
