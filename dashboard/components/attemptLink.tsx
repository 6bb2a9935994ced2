import type { Attempt } from '../api/types.js';
import { useAddress } from '../navigation/useMode.js';

const triggers: Readonly<Record<Attempt['trigger'], string>> = {
  first: 'First attempt',
  retry: 'Retry',
  resend: 'Resend',
  replay: 'Replay',
  test: 'Test',
};

/** The number of an attempt and its reason, such as `#2 Retry`. */
export function attemptName({ number, trigger }: Pick<Attempt, 'number' | 'trigger'>): string {
  return `#${number} ${triggers[trigger]}`;
}

/** The link of a row to the page of its attempt. */
export function AttemptLink({ attempt }: { readonly attempt: Attempt }) {
  const address = useAddress();
  return (
    <a class="row-link" href={address(`/events/${attempt.eventId}/attempts/${attempt.id}`)}>
      {attemptName(attempt)}
    </a>
  );
}
