/** What a key press means outside of form fields and dialogs. */
export type Shortcut = 'search' | 'next' | 'previous' | 'help';

interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

const singleKeys: Readonly<Record<string, Shortcut>> = {
  '/': 'search',
  '?': 'help',
  j: 'next',
  k: 'previous',
};

/**
 * The shortcut of a key press, or null.
 * @param hasSingleKeys whether keys without a modifier are shortcuts. Speech input and screen readers send such keys.
 */
export function shortcutOf(press: KeyPress, isTyping: boolean, hasSingleKeys: boolean): Shortcut | null {
  const { key, altKey } = press;
  const hasControl = press.ctrlKey || press.metaKey;
  if (altKey) {
    return null;
  }
  if (hasControl) {
    return key.toLowerCase() === 'k' ? 'search' : null;
  }
  return isTyping || !hasSingleKeys ? null : (singleKeys[key] ?? null);
}
