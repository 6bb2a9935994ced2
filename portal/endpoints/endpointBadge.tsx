import { CircleAlert, CircleCheck, CircleDashed, CircleMinus, CircleX } from 'lucide';

import type { Webhook, WebhookHealth } from '../../dashboard/api/types.js';
import { Badge } from '../../dashboard/components/badge.js';
import { isWaitingLong } from '../../dashboard/health/healthText.js';

interface EndpointBadgeProps {
  readonly status: Webhook['status'];
  /** The health of the endpoint, or null while it is unknown. */
  readonly health: WebhookHealth | null;
}

const looks = {
  healthy: { tone: 'good', icon: CircleCheck, text: 'Working' },
  undelivered: { tone: 'warn', icon: CircleAlert, text: 'Events undelivered' },
  failing: { tone: 'bad', icon: CircleX, text: 'Failing' },
  waiting: { tone: 'warn', icon: CircleAlert, text: 'Events waiting' },
  untried: { tone: 'plain', icon: CircleDashed, text: 'No event yet' },
  unknown: { tone: 'plain', icon: CircleDashed, text: 'State unknown' },
  disabled: { tone: 'plain', icon: CircleMinus, text: 'Disabled' },
} as const;

/** The state of an endpoint in a word. An endpoint without a success is never shown as working. */
export function EndpointBadge({ status, health }: EndpointBadgeProps) {
  const { tone, icon, text } = looks[status === 'disabled' ? 'disabled' : lookOf(health)];
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

function lookOf(health: WebhookHealth | null): keyof typeof looks {
  if (health === null) {
    return 'unknown';
  }
  if (health.state !== 'healthy') {
    return health.state;
  }
  if (isWaitingLong(health)) {
    return 'waiting';
  }
  return health.lastSuccessAt === null ? 'untried' : 'healthy';
}
