import type { Actor } from '../domain/fact.js';

interface Attributed {
  readonly actor: Actor;
}

/**
 * The value of a fact as it may stand in a topic that is not sealed. People and keys are told there by their ids alone: what they
 * are called stands in `accounts`, sealed, and cannot be read any more once the account is deleted (ADR 12).
 */
export function withoutNames(value: unknown): unknown {
  return isAttributed(value) && isNamed(value.actor)
    ? { ...value, actor: { ...value.actor, name: null } }
    : value;
}

function isAttributed(value: unknown): value is Attributed {
  return typeof value === 'object' && value !== null && 'actor' in value;
}

/** The others are parts of the program, which name themselves. */
function isNamed({ type }: Actor): boolean {
  return type === 'api_key' || type === 'user';
}
