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
    try {
      // Browsers have no clipboard API for pages that another machine serves over plain HTTP.
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce(`Copied the ${what}.`);
    } catch {
      announce(`The browser blocks copying from this page. Select the ${what} and copy it manually.`);
    }
  };
  return [isCopied, () => void copy()];
}
