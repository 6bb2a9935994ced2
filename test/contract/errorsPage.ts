import { aboutDeliveryErrors, deliveryErrors } from '../../api/http/deliveryErrors.js';
import { aboutErrors, errorCodes } from '../../api/http/errorCodes.js';

/**
 * The text of docs/errors.md: the error codes of the API, whether they are retryable, their meaning, and what to do. Then the error codes
 * of deliveries.
 */
export function errorsPage(): string {
  const codes = Object.entries(errorCodes);
  const rows = codes.map(([code, { status, type, retryable }]) => [
    `[\`${code}\`](#${code})`,
    String(status),
    `\`${type}\``,
    retryable ? 'yes' : 'no',
  ]);
  const sections = codes.map(
    ([code, { status, type, retryable, meaning, remedy }]) =>
      `## ${code}\n\nHTTP status ${String(status)}, error type \`${type}\`, ${retryable ? 'retryable' : 'not retryable'}.\n\n${meaning}\n\n${remedy}\n`,
  );
  const meanings = Object.entries(deliveryErrors).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return [
    `# Error codes\n\n${aboutErrors.join('\n\n')}\n`,
    table([['code', 'status', 'type', 'retryable'], ...rows]),
    ...sections,
    `## Errors of deliveries\n\n${aboutDeliveryErrors}\n`,
    table([['code', 'meaning'], ...meanings]),
  ].join('\n');
}

/** A table in Markdown with aligned columns. The first row is its head. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('');
}
