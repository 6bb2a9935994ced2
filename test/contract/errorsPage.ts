import { deliveryErrors } from '../../api/http/deliveryErrors.js';
import { errorCodes } from '../../api/http/errorCodes.js';

const introduction = `# Error codes

Every error is \`{"error": {"type", "code", "message", "param", "requestId"}}\`. Programs should use the \`code\` of an error. Postrider
never removes a published code. The \`message\` of an error is for people and may change. \`param\` names the field or parameter that
caused the error, or is null. If you ask for help, include the \`requestId\`.

A client should repeat a request only if the error code is retryable. If the response has the header \`Retry-After\`, wait for that number of
seconds. Without \`Retry-After\`, wait longer before each repetition. Give each POST an \`Idempotency-Key\`, so that a repeated request takes
effect once. If a request gets no response, for example because the connection was lost, repeat the request in the same way.
`;

const ofDeliveries = `## Errors of deliveries

The \`error\` of an attempt or a delivery is \`{"code", "message"}\` or null. It is no error of a request to the API. A response whose head
is complete is judged by its status alone: a 2xx is a success, however its body ends (\`responseTruncated\`).
`;

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
    ...[introduction, table([['code', 'status', 'type', 'retryable'], ...rows]), ...sections],
    ...[ofDeliveries, table([['code', 'meaning'], ...meanings])],
  ].join('\n');
}

/** A table in Markdown with aligned columns. The first row is its head. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('');
}
