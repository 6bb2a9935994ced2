import { createBoundedMap, createBoundedSet } from '../../shared/concurrency/boundedMap.js';

export type HourlyLimitResult = 'first' | 'repeated' | 'too many';

/** Lets the first occurrence of something in each hour through, and a bounded number of different ones for each account. */
export type HourlyLimit = (accountId: string, occurrence: string, at: Date) => HourlyLimitResult;

export const maximumEntriesPerHour = 100;
const hourMs = 60 * 60 * 1000;
const maximumRemembered = 20_000;

export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs);
}

/** An attacker chooses networks and user agents at will: the bound keeps the audit log of the account readable. */
export function createHourlyLimit(): HourlyLimit {
  const seen = createBoundedSet<string>(maximumRemembered);
  const entries = createBoundedMap<string, number>(maximumRemembered);
  return (accountId, occurrence, at) => {
    const hour = hourOf(at).toISOString();
    const key = `${hour} ${accountId} ${occurrence}`;
    if (seen.has(key)) {
      return 'repeated';
    }
    const account = `${hour} ${accountId}`;
    const count = entries.get(account) ?? 0;
    if (count >= maximumEntriesPerHour) {
      return 'too many';
    }
    seen.add(key);
    entries.set(account, count + 1);
    return 'first';
  };
}
