import { Check, Copy } from 'lucide';
import { useEffect, useState } from 'preact/hooks';

import { useAnnounce } from './announcements.js';
import { Icon } from './icon.js';

const shownMs = 2000;

interface CopyButtonProps {
  readonly text: string;
  /** The name of the copied content, such as `secret` or `event id`. */
  readonly what: string;
  /** Whether the button shows the label next to the icon. */
  readonly isLabeled?: boolean;
}

export function CopyButton({ text, what, isLabeled = false }: CopyButtonProps) {
  const [isCopied, copy] = useCopy(text, what);
  const icon = isCopied ? Check : Copy;
  const words = `Copy ${what}`;
  return isLabeled ? (
    <button type="button" class="button button-secondary button-small" onClick={copy}>
      <Icon of={icon} />
      <span>{isCopied ? 'Copied' : words}</span>
    </button>
  ) : (
    <button type="button" class="icon-button" aria-label={words} title={words} onClick={copy}>
      <Icon of={icon} size={14} />
    </button>
  );
}

/** A copy function, and whether the user has just used it. */
function useCopy(text: string, what: string): readonly [boolean, () => void] {
  const [isCopied, setCopied] = useState(false);
  const announce = useAnnounce();
  useEffect(() => {
    const timer = setTimeout(() => {
      setCopied(false);
    }, shownMs);
    return () => {
      clearTimeout(timer);
    };
  }, [isCopied]);
  const copy = async () => {
    if (await isCopiedText(text)) {
      setCopied(true);
      announce(`Copied the ${what}.`);
    } else {
      announce(`The browser blocks copying from this page. Select the ${what} and copy it manually.`);
    }
  };
  return [isCopied, () => void copy()];
}

/** Copies a text. Returns whether the browser has allowed it. */
async function isCopiedText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return isCopiedByCommand(text);
  }
}

/** The deprecated commands of a document, for which these pages have no replacement. */
interface CommandTarget {
  execCommand: (command: 'copy') => boolean;
}

/**
 * Copies a text where browsers have no clipboard API: in pages that another machine serves over plain HTTP, and in frames
 * without `allow="clipboard-write"`.
 */
function isCopiedByCommand(text: string): boolean {
  const page: CommandTarget = document;
  const done = new AbortController();
  const { signal } = done;
  // Without a selection, Chromium copies only if a page handles both events.
  document.addEventListener('beforecopy', (event) => event.preventDefault(), { signal });
  document.addEventListener(
    'copy',
    (event) => {
      event.preventDefault();
      event.clipboardData?.setData('text/plain', text);
    },
    { signal },
  );
  try {
    return page.execCommand('copy');
  } finally {
    done.abort();
  }
}
