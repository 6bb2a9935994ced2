import { onOneLine } from '../../terminal/printableBytes.js';
import { renderTable } from '../../terminal/table.js';
import { valueIn } from '../api/apiClient.js';
import { readEvent } from '../api/events.js';
import type { Event } from '../api/resources.js';

type ShownEvent = Pick<Event, 'id' | 'type' | 'created' | 'deliveries'>;

const columns = [{ head: 'CREATED' }, { head: 'TYPE' }, { head: 'ID' }, { head: 'DELIVERIES' }];

export function eventTable(events: readonly ShownEvent[]): string {
  return renderTable(
    columns,
    events.map(({ created, type, id, deliveries }) => [
      created,
      onOneLine(type),
      id,
      deliveriesText(deliveries),
    ]),
  );
}

/** The number of deliveries by their status, such as `2 delivered, 1 failed`. */
export function deliveriesText(deliveries: ShownEvent['deliveries']): string {
  const counts = new Map<string, number>();
  for (const { status } of deliveries) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ') || 'none';
}

const deliveryColumns = [
  { head: 'WEBHOOK' },
  { head: 'STATUS' },
  { head: 'ANSWER' },
  { head: 'ATTEMPTS', align: 'right' },
  { head: 'NEXT ATTEMPT' },
] as const;

/**
 * The event in an answer of the API, with its deliveries and its data. The text of the data stays as it was received,
 * because a parsed number may lose digits.
 */
export function describeEvent(answer: Buffer): string {
  const { id, type, created, tenantId, mode, deliveries } = valueIn(answer) as Event;
  const data = readEvent(answer).data?.toString() ?? '';
  const rows = deliveries.map(({ webhookId, status, statusCode, error, attemptCount, nextAttemptAt }) => [
    webhookId,
    status,
    statusCode === null ? onOneLine(error?.code ?? '') : String(statusCode),
    String(attemptCount),
    nextAttemptAt ?? '',
  ]);
  return [
    `Event    ${id}`,
    `Type     ${onOneLine(type)}`,
    `Created  ${created}`,
    `Tenant   ${tenantId ?? 'none'}`,
    `Mode     ${mode}`,
    '',
    rows.length === 0 ? 'No deliveries.' : renderTable(deliveryColumns, rows),
    '',
    data.replaceAll('\r\n', '\n').replaceAll(/[^\t\n]+/g, onOneLine),
  ].join('\n');
}
