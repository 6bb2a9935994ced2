import { Check, Copy } from 'lucide';
import { useEffect, useState } from 'preact/hooks';

import { useAnnounce } from './announcements.js';
import { Icon } from './icon.js';

const shownMs = 2000;

interface CopyButtonProps {
  readonly text: string;
  /** What it is that is copied: `secret`, `event id`. */
  readonly what: string;
  /** With its words beside the icon. */
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

/** Whether it was copied a moment ago, and a way to copy it. */
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
      // Browsers have no clipboard for pages that came over plain http from another machine.
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce(`Copied the ${what}.`);
    } catch {
      announce(`The browser does not let this page copy. Select the ${what} and copy it by hand.`);
    }
  };
  return [isCopied, () => void copy()];
}
