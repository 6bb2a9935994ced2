import { CircleCheck, CircleSlash, TriangleAlert } from 'lucide';

import type { EventCount, EventType } from '../api/types.js';
import { Badge } from '../components/badge.js';
import { countText } from '../components/timeText.js';

const badges = {
  off: ['plain', CircleSlash, 'Not checked'],
  warn: ['warn', TriangleAlert, 'Warn'],
  reject: ['info', CircleCheck, 'Reject'],
} as const;

/** What the API does with events that do not match the schema. */
export function ValidationBadge({ validation }: Pick<EventType, 'validation'>) {
  const [tone, icon, text] = badges[validation];
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}

export function DeprecatedBadge() {
  return <Badge tone="plain">Deprecated</Badge>;
}

/** A number of events. A capped number has a plus sign. */
export function eventCountText({ events, isAtLeast }: EventCount): string {
  return `${countText(events)}${isAtLeast ? '+' : ''}`;
}
