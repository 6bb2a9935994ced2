/** The outcome of an operation that is expected to fail sometimes: a value, or the reason why there is none. */
export type Outcome<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly reason: string };

export function success<Value>(value: Value): Outcome<Value> {
  return { ok: true, value };
}

export function failure(reason: string): Outcome<never> {
  return { ok: false, reason };
}
