import { useCallback, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { Dialog } from '../components/dialog.js';
import { useAddress } from '../navigation/useMode.js';
import { searchFragment } from '../navigation/usePageHeading.js';
import { shortcutOf } from './shortcutKeys.js';

const key = 'postrider.shortcuts';

/** The keyboard shortcuts of all pages, and the dialog that explains them. */
export function Shortcuts() {
  const address = useAddress();
  const { route } = useLocation();
  const [isHelping, setHelping] = useState(false);
  const [hasSingleKeys, setSingleKeys] = useState(storedSingleKeys);
  const search = useCallback(() => {
    const field = document.querySelector<HTMLElement>('main input[type=search]');
    const page = address('/events') + searchFragment;
    if (field !== null) {
      field.focus();
    } else if (!location.href.endsWith(page)) {
      // Otherwise the page is loading. If it were opened again, it would lose what is typed in the meantime.
      route(page);
    }
  }, [address, route]);
  useEffect(() => {
    const actions = {
      search,
      next: () => {
        moveBy(1);
      },
      previous: () => {
        moveBy(-1);
      },
      help: () => {
        setHelping(true);
      },
    };
    const press = (event: KeyboardEvent) => {
      const isInDialog = document.querySelector('dialog[open]') !== null;
      const shortcut = isInDialog ? null : shortcutOf(event, isField(event.target), hasSingleKeys);
      if (shortcut !== null) {
        event.preventDefault();
        actions[shortcut]();
      }
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
    };
  }, [search, hasSingleKeys]);
  return isHelping ? (
    <ShortcutHelp
      hasSingleKeys={hasSingleKeys}
      onChange={(chosen) => {
        setSingleKeys(chosen);
        storeSingleKeys(chosen);
      }}
      onClose={() => {
        setHelping(false);
      }}
    />
  ) : null;
}

const texts = [
  ['Ctrl + K or /', 'Move to the search field'],
  ['j', 'Move to the next item'],
  ['k', 'Move to the previous item'],
  ['Enter', 'Open the item'],
  ['?', 'Show this help'],
] as const;

interface ShortcutHelpProps {
  readonly hasSingleKeys: boolean;
  readonly onChange: (hasSingleKeys: boolean) => void;
  readonly onClose: () => void;
}

function ShortcutHelp({ hasSingleKeys, onChange, onClose }: ShortcutHelpProps) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="pairs">
        {texts.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input
          type="checkbox"
          checked={hasSingleKeys}
          onChange={({ currentTarget: { checked } }) => {
            onChange(checked);
          }}
        />
        <span>Use shortcuts of a single key</span>
      </label>
    </Dialog>
  );
}

/** The link of the first item on the page gets the focus, otherwise the content. */
export function focusFirstItem(): void {
  const first = document.querySelector<HTMLElement>('main .row-link') ?? document.getElementById('content');
  first?.focus();
}

function moveBy(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>('main .row-link')];
  const at = items.findIndex((item) => item === document.activeElement);
  const next = at === -1 ? items[0] : items[at + step];
  next?.focus();
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

function storedSingleKeys(): boolean {
  try {
    return localStorage.getItem(key) !== 'off';
  } catch {
    // Some browsers block storage in private windows.
    return true;
  }
}

function storeSingleKeys(hasSingleKeys: boolean): void {
  try {
    localStorage.setItem(key, hasSingleKeys ? 'on' : 'off');
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}
