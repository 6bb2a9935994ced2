import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import { Icon } from './icon.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** False where something is shown that will not be shown again: then only a button closes it. */
  readonly isDismissible?: boolean;
  /** Called once the browser has given the focus back. */
  readonly onClosed?: () => void;
}

/** A modal dialog for as long as it is rendered. The browser keeps the focus in it, and gives it back afterwards. */
export function Dialog({ title, onClose, children, isDismissible = true, onClosed }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const afterwards = useRef(onClosed);
  const titleId = useId();
  // Closed before it is taken out of the page: only so the browser gives the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    const closed = afterwards.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      closed?.();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={titleId}
      closedby={isDismissible ? 'closerequest' : 'none'}
      onCancel={(event) => {
        event.preventDefault();
        if (isDismissible) {
          onClose();
        }
      }}
      onClose={({ currentTarget: dialog }) => {
        // Browsers that do not know `closedby` let a page refuse only once in a row.
        if (!isDismissible && dialog.isConnected && !dialog.open) {
          dialog.showModal();
        }
      }}
    >
      <div class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {isDismissible && (
          <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
            <Icon of={X} size={18} />
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}
