import { CircleCheck, CircleMinus, CircleX, TriangleAlert } from 'lucide';

import type { Webhook } from '../api/types.js';
import { Badge } from '../components/badge.js';

const reasons = { manual: 'Disabled', gone: 'Disabled: gone', failing: 'Disabled: failing' } as const;

/** The status of a webhook, and whether its deliveries succeed. */
export function WebhookBadge({
  webhook,
  undelivered = 0,
}: {
  readonly webhook: Webhook;
  readonly undelivered?: number;
}) {
  const { status, disabledReason } = webhook;
  if (status === 'disabled') {
    const isManual = disabledReason === null || disabledReason === 'manual';
    return (
      <Badge tone={isManual ? 'plain' : 'bad'} icon={isManual ? CircleMinus : CircleX}>
        {reasons[disabledReason ?? 'manual']}
      </Badge>
    );
  }
  return undelivered > 0 ? (
    <Badge tone="warn" icon={TriangleAlert}>
      Active, not delivering
    </Badge>
  ) : (
    <Badge tone="good" icon={CircleCheck}>
      Active
    </Badge>
  );
}
