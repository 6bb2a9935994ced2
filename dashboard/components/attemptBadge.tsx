import type { Attempt } from '../api/types.js';
import { Badge } from './badge.js';

/** The status of an attempt's answer, or the reason why there is none. */
export function AttemptBadge({ attempt }: { readonly attempt: Attempt }) {
  const { status, statusCode, error } = attempt;
  return (
    <Badge tone={status === 'succeeded' ? 'good' : 'bad'}>{statusCode ?? error?.code ?? 'no answer'}</Badge>
  );
}
