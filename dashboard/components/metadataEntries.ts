/** A line of a form for metadata. */
export interface MetadataEntry {
  readonly key: string;
  readonly value: string;
}

/** The limits of the API. */
export const maximumEntries = 20;
export const maximumKeyLength = 40;
export const maximumValueLength = 500;

export function entriesOf(metadata: Readonly<Record<string, string>> | null): readonly MetadataEntry[] {
  return Object.entries(metadata ?? {}).map(([key, value]) => ({ key, value }));
}

/** The metadata for the body of a request. A line without key and value is left out. */
export function metadataOf(entries: readonly MetadataEntry[]): Record<string, string> {
  return Object.fromEntries(entries.filter((entry) => !isEmpty(entry)).map(({ key, value }) => [key, value]));
}

/** The error of the metadata, or null if they are valid. */
export function faultOfMetadata(metadata: readonly MetadataEntry[]): string | null {
  const keys = metadata.filter((entry) => !isEmpty(entry)).map(({ key }) => key);
  if (keys.includes('')) {
    return 'Enter a key for each value.';
  }
  const repeated = keys.find((key, at) => keys.indexOf(key) < at);
  return repeated === undefined ? null : `The key “${repeated}” occurs twice. Remove one of the lines.`;
}

function isEmpty({ key, value }: MetadataEntry): boolean {
  return key === '' && value === '';
}
