import type { DeliveryStats } from '../api/types.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { Time } from '../components/time.js';
import { countText } from '../components/timeText.js';
import { responseTimeText } from './responseTimes.js';

const columns: readonly Column<DeliveryStats>[] = [
  { name: 'From', isMain: true, cell: ({ start }) => <Time at={start} /> },
  { name: 'Events', isNumber: true, cell: ({ events }) => countText(events) },
  { name: 'Succeeded', isNumber: true, cell: ({ succeeded }) => countText(succeeded) },
  { name: 'Failed', isNumber: true, cell: ({ failed }) => countText(failed) },
  { name: 'p50', isNumber: true, cell: (bucket) => responseTimeText(bucket, 'p50Ms') },
  { name: 'p95', isNumber: true, cell: (bucket) => responseTimeText(bucket, 'p95Ms') },
  { name: 'p99', isNumber: true, cell: (bucket) => responseTimeText(bucket, 'p99Ms') },
];

/** The figures of the plots as a table, for screen readers and for copying. */
export function FiguresTable({ stats }: { readonly stats: readonly DeliveryStats[] }) {
  if (stats.length === 0) {
    return null;
  }
  return (
    <details class="figures">
      <summary>Show figures as table</summary>
      <div class="card card-table">
        <DataTable
          caption="Events and attempts over time, newest first"
          columns={columns}
          rows={stats.toReversed()}
          keyOf={({ start }) => start}
        />
      </div>
    </details>
  );
}
