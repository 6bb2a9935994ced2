import type { Attempt } from '../api/types.js';
import { Badge } from './badge.js';

/** What an attempt was answered with, or why it was not. */
export function AttemptBadge({ attempt }: { readonly attempt: Attempt }) {
  const { status, statusCode, error } = attempt;
  return (
    <Badge tone={status === 'succeeded' ? 'good' : 'bad'}>{statusCode ?? error?.code ?? 'no answer'}</Badge>
  );
}
