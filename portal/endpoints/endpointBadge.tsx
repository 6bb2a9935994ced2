import { CircleAlert, CircleCheck, CircleDashed, CircleMinus, CircleX } from 'lucide';

import type { Webhook, WebhookHealth } from '../../dashboard/api/types.js';
import { Badge } from '../../dashboard/components/badge.js';

interface EndpointBadgeProps {
  readonly status: Webhook['status'];
  /** The health of the endpoint, or null while it is unknown. */
  readonly health: WebhookHealth | null;
}

const looks = {
  healthy: { tone: 'good', icon: CircleCheck, text: 'Working' },
  undelivered: { tone: 'warn', icon: CircleAlert, text: 'Events undelivered' },
  failing: { tone: 'bad', icon: CircleX, text: 'Failing' },
  disabled: { tone: 'plain', icon: CircleMinus, text: 'Disabled' },
} as const;

/** The state of an endpoint in a word. An endpoint without a success is never shown as working. */
export function EndpointBadge({ status, health }: EndpointBadgeProps) {
  if (status !== 'disabled' && (health === null || isUntried(health))) {
    return (
      <Badge tone="plain" icon={CircleDashed}>
        {health === null ? 'State unknown' : 'No event yet'}
      </Badge>
    );
  }
  const { tone, icon, text } = looks[status === 'disabled' ? 'disabled' : (health?.state ?? 'disabled')];
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

function isUntried({ state, lastSuccessAt }: WebhookHealth): boolean {
  return state === 'healthy' && lastSuccessAt === null;
}
