import { createBoundedMap, createBoundedSet } from '../../shared/concurrency/boundedMap.js';

export type HourlyLimitResult = 'first' | 'repeated' | 'too many';

/**
 * A filter of repeated audit entries. The filter passes the first of equal entries in each hour, and limits the number
 * of different entries of an account.
 */
export type HourlyLimit = (accountId: string, occurrence: string, at: Date) => HourlyLimitResult;

export const maximumEntriesPerHour = 100;
const hourMs = 60 * 60 * 1000;
const maximumRemembered = 20_000;

export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / hourMs) * hourMs);
}

/** An attacker can vary networks and user agents, so the limit keeps the audit log of the account readable. */
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
