import type { Webhook } from '../api/types.js';

/** A name that people gave, or another text without one. The API accepts a blank name, but nobody can click on it. */
export function shownName(name: string | null, other: string): string {
  return name !== null && visible.test(name) ? name : other;
}

const visible = /[^\p{Z}\p{C}]/u;

/** The name of a webhook for people, or its URL without a name. */
export function webhookTitle({ name, url }: Pick<Webhook, 'name' | 'url'>): string {
  return shownName(name, url);
}
