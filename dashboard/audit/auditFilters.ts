import { isWithin, knownRange, ranges } from '../navigation/ranges.js';

/** The filters of the audit log that the address of the page contains, as query parameters of the API. */
export function auditQuery(parameters: URLSearchParams, now: Date) {
  const range = knownRange(parameters.get('within'));
  const given = (name: string) => {
    const value = parameters.get(name) ?? '';
    return value === '' || isFaulty(name, value) ? null : value;
  };
  const [since, until] = range === null ? [given('since'), given('until')] : [null, null];
  const start = range === null ? null : new Date(now.getTime() - ranges[range].lengthMs).toISOString();
  const entries = {
    actorId: given('actor'),
    action: given('action'),
    resourceId: given('resource'),
    createdGte: start ?? timeOf(since),
    createdLt: timeOf(until),
    startingAfter: given('after'),
    endingBefore: given('before'),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== null));
}

/** Whether the address selects entries, and not only a page. */
export function isAuditFiltered(parameters: URLSearchParams): boolean {
  return ['actor', 'action', 'resource', 'within', 'since', 'until'].some((name) => parameters.has(name));
}

const longestId = 128;

const rules: Readonly<Record<string, (value: string) => boolean>> = {
  actor: (value) => value.length <= longestId,
  action: (value) => /^[a-z_]{1,64}\.([a-z_]{1,64}|\*)$/.test(value),
  resource: (value) => value.length <= longestId,
  within: isWithin,
  since: (value) => timeOf(value) !== null,
  until: (value) => timeOf(value) !== null,
  after: () => true,
  before: () => true,
};

/** The parameters of the address that `auditQuery` cannot apply, such as `action=all`. */
export function auditFaults(parameters: URLSearchParams): readonly string[] {
  return [...parameters]
    .filter(([name, value]) => isFaulty(name, value))
    .map(([name, value]) => `${name}=${value}`);
}

function isFaulty(name: string, value: string): boolean {
  return rules[name]?.(value) !== true;
}

function timeOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
