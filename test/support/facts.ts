import { identifierTime, type IdentifierPrefix } from '../../shared/domain/core/identifiers.js';
import type { Actor, RecordContext } from '../../shared/domain/core/fact.js';

/** A reproducible ULID. All of them have the time `start`. */
export function testRecordId(number: number): string {
  return `01JD4RVPA0${String(number).padStart(16, '0')}`;
}

/** A reproducible id of a resource. */
export function testIdentifier(prefix: IdentifierPrefix, number = 1): string {
  return `${prefix}_${testRecordId(number)}`;
}

/** The time at which all tests of facts begin. */
export const start = identifierTime(testRecordId(0));

export function secondsLater(seconds: number): Date {
  return new Date(start.getTime() + seconds * 1000);
}

export const testActor: Actor = { type: 'api_key', id: testIdentifier('key'), name: 'Key of the tests' };

/** The context of a record with this key. */
export function contextOf(key: string, context: Partial<RecordContext> = {}): RecordContext {
  return {
    id: testRecordId(1),
    key,
    accountId: testIdentifier('acct'),
    mode: 'live',
    at: start,
    ...context,
  };
}

export type InContext<Fact> = Fact & { readonly context: RecordContext };

/** The test of a state machine. `given(facts).when(facts)` returns the states before and after the second facts. */
export function scenario<State, Fact>(evolve: (state: State | null, fact: Fact) => State | null) {
  const fold = (state: State | null, facts: readonly Fact[]) => facts.reduce<State | null>(evolve, state);
  return {
    given: (...facts: readonly Fact[]) => {
      const before = fold(null, facts);
      return { when: (...more: readonly Fact[]) => ({ before, after: fold(before, more) }) };
    },
  };
}
