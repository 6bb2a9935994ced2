import { authText } from './authRules.js';
import { filterText } from './filterRules.js';
import type { Format, Options } from './optionRules.js';

/** A name and a value for the page of a webhook. */
export interface OptionFact {
  readonly name: string;
  readonly text: string;
}

/** The options of a webhook that are set. */
export function optionFacts(webhook: Options): readonly OptionFact[] {
  const { filter, timeoutSeconds, signatureHeaderPrefix, format, metadata, headers, auth } = webhook;
  return [
    ['Filter', filter === null ? null : filterText(filter)],
    ['Time limit', timeoutSeconds === null ? null : `${timeoutSeconds} s`],
    ['Signature headers', signatureHeaderPrefix === null ? null : namesOf(signatureHeaderPrefix)],
    ['Format', format === null ? null : formatTexts[format]],
    ['Authentication', authText(auth)],
    ['Headers', headers === null ? null : headers.map(({ name }) => `${name}: ***`).join('\n')],
    ['Metadata', metadata === null ? null : linesOf(metadata)],
  ].flatMap(([name, text]) => (typeof name === 'string' && typeof text === 'string' ? [{ name, text }] : []));
}

const formatTexts = {
  standard: 'Standard',
  cloudevents: 'CloudEvents',
  thin: 'Thin, without data',
} as const satisfies Record<Format, string>;

function namesOf(prefix: string): string {
  return `${prefix}-id, ${prefix}-timestamp, ${prefix}-signature`;
}

/** The lines of the metadata, or null if it is empty. */
function linesOf(metadata: Readonly<Record<string, string>>): string | null {
  const lines = Object.entries(metadata).map(([key, value]) => `${key}: ${value}`);
  return lines.length === 0 ? null : lines.join('\n');
}
