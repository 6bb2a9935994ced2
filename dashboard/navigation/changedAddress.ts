/** New values of parameters; null takes one away. */
export type ParameterChanges = Readonly<Record<string, string | null>>;

/** An address with some of its parameters changed. */
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
