/** Names of the components of a document. A name has only ASCII letters and digits, and begins with a letter. */
export interface ComponentNames {
  /**
   * A name that no earlier component has, in any case: generators create a file for each component, and some file
   * systems ignore the case.
   */
  readonly unique: (name: string) => string;
}

export function createComponentNames(): ComponentNames {
  const used = new Set<string>();
  /** The last number of each name, so that a thousand equal names need a thousand steps. */
  const numbers = new Map<string, number>();

  return {
    unique: (name) => {
      const key = name.toLowerCase();
      let number = numbers.get(key) ?? 1;
      let candidate = number === 1 ? name : `${name}${String(number)}`;
      while (used.has(candidate.toLowerCase())) {
        number += 1;
        candidate = `${name}${String(number)}`;
      }
      numbers.set(key, number);
      used.add(candidate.toLowerCase());
      return candidate;
    },
  };
}

const wordCharacters = /[A-Za-z0-9]+/g;

/** A text in PascalCase: `OrderCompleted` for `order.completed`. It is empty for a text without ASCII letters. */
export function pascalCase(text: string): string {
  return [...text.matchAll(wordCharacters)]
    .map(([word]) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

/** The name of an event type in names of components. A name of a component must not begin with a digit. */
export function typeComponentName(type: string): string {
  const name = pascalCase(type);
  return /^[A-Za-z]/.test(name) ? name : `Type${name}`;
}
