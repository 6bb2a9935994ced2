import type { Attempt, List, Webhook } from '../api/types.js';
import { AttemptBadge } from '../components/attemptBadge.js';
import { AttemptLink } from '../components/attemptLink.js';
import { LinkButton } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { Identifier } from '../components/identifier.js';
import { Time } from '../components/time.js';
import { durationText } from '../components/timeText.js';
import { useAddress } from '../navigation/useMode.js';

interface RecentAttemptsProps {
  readonly webhook: Webhook;
  readonly attempts: List<Attempt>;
}

export function RecentAttempts({ webhook, attempts }: RecentAttemptsProps) {
  const address = useAddress();
  const columns: readonly Column<Attempt>[] = [
    { name: 'Attempt', isMain: true, cell: (attempt) => <AttemptLink attempt={attempt} /> },
    {
      name: 'Event',
      cell: ({ eventId }) => (
        <a href={address(`/events/${eventId}`)}>
          <Identifier id={eventId} />
        </a>
      ),
    },
    { name: 'Result', cell: (attempt) => <AttemptBadge attempt={attempt} /> },
    { name: 'Took', isNumber: true, cell: ({ durationMs }) => durationText(durationMs) },
    { name: 'At', isNumber: true, cell: ({ attemptedAt }) => <Time at={attemptedAt} /> },
  ];
  return (
    <section aria-labelledby="attempts-heading">
      <div class="section-head">
        <h2 id="attempts-heading">Recent attempts</h2>
        <span class="buttons">
          <LinkButton isSmall href={address(`/attempts?webhook=${webhook.id}`)}>
            Show all attempts
          </LinkButton>
          <LinkButton isSmall href={address(`/events?webhook=${webhook.id}`)}>
            Show events of this webhook
          </LinkButton>
        </span>
      </div>
      {attempts.data.length === 0 ? (
        <p class="card card-text quiet">
          The webhook has no attempts yet. Send a test event to check the receiver.
        </p>
      ) : (
        <div class="card card-table">
          <DataTable
            caption="Recent attempts, newest first"
            columns={columns}
            rows={attempts.data}
            keyOf={({ id }) => id}
          />
        </div>
      )}
    </section>
  );
}
