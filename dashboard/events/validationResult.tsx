import { CircleCheck, CircleDashed, TriangleAlert } from 'lucide';

import type { ListedEvent } from '../api/types.js';
import { Badge } from '../components/badge.js';

const looks = {
  valid: { tone: 'plain', icon: CircleCheck, text: 'Valid data' },
  invalid: { tone: 'bad', icon: TriangleAlert, text: 'Invalid data' },
  unknown: { tone: 'plain', icon: CircleDashed, text: 'Data not checked yet' },
} as const;

/** Whether the data of an event matches the schema of its type. An event without a check has no badge. */
export function ValidationResult({ validation }: Pick<ListedEvent, 'validation'>) {
  if (validation === null) {
    return null;
  }
  const { tone, icon, text } = looks[validation.status];
  return (
    <Badge tone={tone} icon={icon}>
      {text}
    </Badge>
  );
}
