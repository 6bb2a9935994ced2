import { CircleCheck, CircleDashed, CircleMinus, CircleX, TriangleAlert } from 'lucide';

import type { Webhook, WebhookHealth } from '../api/types.js';
import { Badge } from '../components/badge.js';
import { isWaitingLong, undeliveredCount } from '../health/healthText.js';

const reasons = {
  manual: 'Disabled',
  gone: 'Disabled: answered 410 Gone',
  failing: 'Disabled: no success for days',
} as const;

const activeLooks = {
  healthy: { tone: 'good', icon: CircleCheck, text: 'Active' },
  failing: { tone: 'bad', icon: CircleX, text: 'Failing' },
  undelivered: { tone: 'warn', icon: TriangleAlert, text: 'Active, not all delivered' },
  waiting: { tone: 'warn', icon: TriangleAlert, text: 'Active, deliveries are waiting' },
  unused: { tone: 'plain', icon: CircleDashed, text: 'Active, no attempts yet' },
  unknown: { tone: 'plain', icon: CircleDashed, text: 'Active, health unknown' },
} as const;

interface WebhookBadgeProps {
  readonly webhook: Webhook;
  /** The health of the webhook, or null while it is unknown. */
  readonly health: WebhookHealth | null;
}

/** The status of a webhook. The badge is green only if the page knows a success and no undelivered delivery. */
export function WebhookBadge({ webhook: { status, disabledReason }, health }: WebhookBadgeProps) {
  if (status === 'disabled') {
    const isManual = disabledReason === null || disabledReason === 'manual';
    return (
      <Badge tone={isManual ? 'plain' : 'bad'} icon={isManual ? CircleMinus : CircleX}>
        {reasons[disabledReason ?? 'manual']}
      </Badge>
    );
  }
  const { tone, icon, text } = activeLooks[lookOf(health)];
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

function lookOf(health: WebhookHealth | null): keyof typeof activeLooks {
  if (health === null) {
    return 'unknown';
  }
  if (health.state === 'failing') {
    return 'failing';
  }
  if (undeliveredCount(health) > 0) {
    return 'undelivered';
  }
  if (isWaitingLong(health)) {
    return 'waiting';
  }
  return health.lastSuccessAt === null ? 'unused' : 'healthy';
}
