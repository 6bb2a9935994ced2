import { aboutDeliveryErrors, deliveryErrors } from '../../api/http/deliveryErrors.js';
import { aboutErrors, errorCodes } from '../../api/http/errorCodes.js';

/** The text of docs/errors.md: each error code of the API with its meaning and remedy, and the errors of deliveries. */
export function errorsPage(): string {
  const sections = Object.entries(errorCodes).map(
    ([code, { status, retryable, meaning, remedy }]) =>
      `## ${code}\n\nHTTP ${String(status)}${retryable ? ', retryable' : ''}\n\n${meaning}\n\n${remedy}\n`,
  );
  const meanings = Object.entries(deliveryErrors).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return [
    `# Error codes\n\n${aboutErrors.join('\n\n')}\n`,
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
