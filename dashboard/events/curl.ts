/** A curl command that posts an event. */
export function curlForEvent(origin: string, key: string): string {
  return [
    `curl ${origin}/v1/events \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '{"type":"order.completed","data":{"orderId":"ord_1","amount":4200,"currency":"eur"}}'`,
  ].join('\n');
}
