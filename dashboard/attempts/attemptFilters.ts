import { isWithin, knownRange, ranges } from '../navigation/ranges.js';
import { faultOfTypePattern } from '../webhooks/eventType.js';

/** The filters of the attempt list that the address of the page contains, as query parameters of the API. */
export function attemptQuery(parameters: URLSearchParams, now: Date) {
  const range = knownRange(parameters.get('within'));
  const given = (name: string) => {
    const value = parameters.get(name) ?? '';
    return value === '' || isFaulty(name, value) ? null : value;
  };
  const entries = {
    webhookId: given('webhook'),
    statusCode: given('code'),
    errorCode: given('error'),
    createdGte: range === null ? timeOf(parameters.get('since')) : startOf(now, ranges[range].lengthMs),
    createdLt: range === null ? timeOf(parameters.get('until')) : null,
    startingAfter: given('after'),
    endingBefore: given('before'),
  };
  const status = outcomeOf(given('status'));
  const type = given('type');
  return {
    ...Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null)),
    ...(status === null ? {} : { status }),
    ...(type === null ? {} : { type: [type] }),
  };
}

export const outcomes = ['succeeded', 'failed'] as const;

export type AttemptEnd = (typeof outcomes)[number];

function outcomeOf(text: string | null): AttemptEnd | null {
  return outcomes.find((each) => each === text) ?? null;
}

const rules: Readonly<Record<string, (value: string) => boolean>> = {
  webhook: () => true,
  status: (value) => outcomeOf(value) !== null,
  code: (value) => /^[1-5]\d\d$/.test(value),
  error: (value) => /^[a-z_]{1,64}$/.test(value),
  type: (value) => faultOfTypePattern(value) === null,
  within: isWithin,
  since: (value) => timeOf(value) !== null,
  until: (value) => timeOf(value) !== null,
  after: () => true,
  before: () => true,
};

/** The parameters of the address that `attemptQuery` cannot apply, such as `code=abc`. */
export function attemptFaults(parameters: URLSearchParams): readonly string[] {
  return [...parameters]
    .filter(([name, value]) => isFaulty(name, value))
    .map(([name, value]) => `${name}=${value}`);
}

function isFaulty(name: string, value: string): boolean {
  return rules[name]?.(value) !== true;
}

function startOf(now: Date, lengthMs: number): string {
  return new Date(now.getTime() - lengthMs).toISOString();
}

function timeOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
