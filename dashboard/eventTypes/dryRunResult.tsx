import type { EventTypeDryRun } from '../api/types.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { Notice } from '../components/notice.js';
import { counted } from '../components/timeText.js';
import { useAddress } from '../navigation/useMode.js';

type Sample = EventTypeDryRun['samples'][number];

/** The result of a dry run. An incomplete result is never shown as a good one. */
export function DryRunResult({ result }: { readonly result: EventTypeDryRun }) {
  const { checked, invalid, samples, complete } = result;
  return (
    <>
      <Notice kind={noticeKind(result)}>
        <p>
          <strong>{dryRunText(result)}</strong>
        </p>
        {!complete && (
          <p>
            The time limit ended the check after the newest {counted(checked, 'event')}. Whether older events
            match is unknown.
          </p>
        )}
        {checked === 0 && complete && <p>There are no stored events of this type yet.</p>}
      </Notice>
      {invalid > 0 && (
        <DataTable
          caption="Events that do not match"
          columns={columns}
          rows={samples}
          keyOf={({ eventId }) => eventId}
        />
      )}
    </>
  );
}

/** The counts of a dry run in one sentence. */
export function dryRunText({ checked, invalid }: EventTypeDryRun): string {
  return invalid === 0
    ? `None of the ${counted(checked, 'checked event')} is invalid.`
    : `${counted(invalid, 'event')} of ${counted(checked, 'checked event')} would be rejected.`;
}

function noticeKind({ checked, invalid, complete }: EventTypeDryRun): 'good' | 'warn' | 'info' {
  if (invalid > 0 || !complete) {
    return 'warn';
  }
  return checked === 0 ? 'info' : 'good';
}

const columns: readonly Column<Sample>[] = [
  { name: 'Event', isMain: true, cell: ({ eventId }) => <EventLink id={eventId} /> },
  { name: 'Place', cell: ({ param }) => <code class="breakable">{param}</code> },
  { name: 'Reason', cell: ({ message }) => message },
];

function EventLink({ id }: { readonly id: string }) {
  const address = useAddress();
  return (
    <a class="breakable" href={address(`/events/${id}`)}>
      {id}
    </a>
  );
}
