import { useCallback } from 'preact/hooks';

import { answerOf, countIn } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { FailureNotice } from '../components/failureNotice.js';
import { counted } from '../components/timeText.js';
import { useApi, useMay } from '../session/session.js';

interface Missed {
  readonly matched: number;
  readonly complete: boolean;
}

/**
 * The number of events that a disabled webhook has not received since it was created. A dry run of a replay counts
 * them, and only users who may replay events can request it.
 */
export function MissedEvents({ webhook: { id, created } }: { readonly webhook: Webhook }) {
  return useMay('developer') ? (
    <Counted id={id} created={created} />
  ) : (
    <p>The number of missed events is unknown. A developer or owner of the account can count them.</p>
  );
}

function Counted({ id, created }: Pick<Webhook, 'id' | 'created'>) {
  const api = useApi();
  const load = useCallback(
    async (signal: AbortSignal): Promise<Missed | null> => {
      const body = { webhookId: id, since: created, only: 'undelivered' as const, dryRun: true };
      return countIn(await answerOf(api.POST('/v1/replays', { body, signal })));
    },
    [api, id, created],
  );
  const { value, failure, reload } = useLoaded(load);
  return (
    <>
      <FailureNotice failure={failure} onRetry={reload} />
      <p role="status">{missedText(value)}</p>
    </>
  );
}

function missedText(missed: Missed | null): string {
  if (missed === null) {
    return 'Missed events: unknown.';
  }
  const { matched, complete } = missed;
  if (!complete) {
    return `Missed: more than ${counted(matched, 'event')}.`;
  }
  return matched === 0 ? 'No missed events.' : `Missed: ${counted(matched, 'event')}.`;
}
