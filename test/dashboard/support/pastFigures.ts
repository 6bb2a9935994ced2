import type { Route } from 'playwright-core';

const bucketMs: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Answers a request for figures with those of a typical shop, including an hour with many failures. */
export async function pastFigures(route: Route): Promise<void> {
  const asked = new URL(route.request().url()).searchParams;
  const size = bucketMs[asked.get('bucket') ?? 'hour'] ?? 3_600_000;
  const to = Date.parse(asked.get('to') ?? new Date().toISOString());
  const from = Date.parse(asked.get('from') ?? new Date(to - 24 * size).toISOString());
  const first = Math.floor(from / size);
  const numbers = Array.from({ length: Math.ceil(to / size) - first }, (_, index) => first + index);
  await route.fulfill({ json: { data: numbers.map((number) => bucketOf(number, size)) } });
}

function bucketOf(number: number, size: number) {
  const events = Math.round(420 + 260 * Math.sin(number / 3.8) + ((number * 7919) % 60));
  const failed = number % 11 === 4 ? Math.round(events * 0.35) : Math.round(events * 0.01);
  const succeeded = events * 2 - failed;
  return {
    start: new Date(number * size).toISOString(),
    events,
    succeeded,
    failed,
    p50Ms: 48 + ((number * 31) % 9),
    p95Ms: 160 + ((number * 37) % 50),
    p99Ms: 380 + ((number * 53) % 140),
    byStatusCode: { 200: succeeded, 503: failed },
  };
}
