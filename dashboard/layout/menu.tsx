import { Menu as MenuIcon, X } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { Icon } from '../components/icon.js';
import { Mark } from '../components/mark.js';
import { AccountBox } from './accountBox.js';
import { Navigation } from './navigation.js';

/** The sidebar of a wide page. On a narrow page a button opens the sidebar. */
export function Menu() {
  const { url } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.close();
  }, [url]);
  return (
    <div class="menu">
      <button
        type="button"
        class="icon-button menu-button"
        aria-label="Open menu"
        aria-haspopup="dialog"
        onClick={() => {
          dialog.current?.showModal();
        }}
      >
        <Icon of={MenuIcon} size={20} />
      </button>
      <dialog ref={dialog} class="drawer" aria-label="Menu">
        <div class="drawer-head">
          <Mark />
          <button
            type="button"
            class="icon-button"
            aria-label="Close menu"
            onClick={() => {
              dialog.current?.close();
            }}
          >
            <Icon of={X} size={20} />
          </button>
        </div>
        <Navigation />
        <AccountBox />
      </dialog>
    </div>
  );
}
