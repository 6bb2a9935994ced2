/** The changed query parameters of an address. The value null removes a query parameter. */
export type ParameterChanges = Readonly<Record<string, string | null>>;

/** The address with some query parameters changed. */
export function changedAddress(address: string, changes: ParameterChanges): string {
  const changed = new URL(address, 'http://page.invalid');
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') {
      changed.searchParams.delete(name);
    } else {
      changed.searchParams.set(name, value);
    }
  }
  return `${changed.pathname}${changed.search}`;
}

/** The changes that remove parameters such as `status=lost` from an address. */
export function changesWithout(faults: readonly string[]): ParameterChanges {
  return Object.fromEntries(faults.map((fault) => [fault.split('=')[0] ?? '', null]));
}
