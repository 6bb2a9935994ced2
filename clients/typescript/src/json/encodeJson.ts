import { RawJson } from './rawJson.js';

/** The JSON text of a value, in which each `RawJson` has its own text, and each bigint all its digits. */
export function encodeJson(value: object): string {
  const texts: string[] = [];
  // `JSON.stringify` writes no text as it is, so it writes a string that no value can contain by chance.
  const marker = crypto.randomUUID();
  const marked = (text: string): string => `${marker}:${texts.push(text) - 1}`;
  const encoded = JSON.stringify(value, (_key, each: unknown) => {
    if (each instanceof RawJson) {
      return marked(each.text);
    }
    return typeof each === 'bigint' ? marked(String(each)) : each;
  });
  return texts.length === 0
    ? encoded
    : encoded.replaceAll(
        new RegExp(`"${marker}:(\\d+)"`, 'g'),
        (_match, index: string) => texts[Number(index)] ?? '',
      );
}
