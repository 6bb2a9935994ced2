/** A name that people gave, or another text without one. The API accepts a blank name, but nobody can click on it. */
export function shownName(name: string | null, other: string): string {
  return name !== null && visible.test(name) ? name : other;
}

const visible = /[^\p{Z}\p{C}]/u;
