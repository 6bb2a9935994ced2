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
  const facts: Readonly<Record<keyof Options, readonly [name: string, text: string | null]>> = {
    filter: ['Filter', filter === null ? null : filterText(filter)],
    timeoutSeconds: ['Time limit', timeoutSeconds === null ? null : `${timeoutSeconds} s`],
    signatureHeaderPrefix: [
      'Signature headers',
      signatureHeaderPrefix === null ? null : namesOf(signatureHeaderPrefix),
    ],
    format: ['Format', format === null ? null : formatTexts[format]],
    auth: ['Authentication', authText(auth)],
    headers: ['Headers', headers === null ? null : headers.map(({ name }) => `${name}: ***`).join('\n')],
    metadata: ['Metadata', metadata === null ? null : linesOf(metadata)],
  };
  return Object.values(facts).flatMap(([name, text]) => (text === null ? [] : [{ name, text }]));
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
