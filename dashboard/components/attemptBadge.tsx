import type { Attempt } from '../api/types.js';
import { Badge } from './badge.js';

/** The status code of the response to an attempt, or the error code if the receiver sent no response. */
export function AttemptBadge({ attempt }: { readonly attempt: Attempt }) {
  const { status, statusCode, error } = attempt;
  return (
    <Badge tone={status === 'succeeded' ? 'good' : 'bad'}>{statusCode ?? error?.code ?? 'no response'}</Badge>
  );
}
