import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

import { Icon } from './icon.js';
import { findVisibleArea } from './visibleArea.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /**
   * Whether the user can close the dialog with Escape or its close button. If the content is never shown again, only a
   * button of the content closes the dialog.
   */
  readonly isDismissible?: boolean;
  /** Called after the browser has restored the focus. */
  readonly onClosed?: () => void;
}

/**
 * A modal dialog for as long as the component is rendered. The browser keeps the focus in the dialog and restores the
 * focus afterwards.
 */
export function Dialog({ title, onClose, children, isDismissible = true, onClosed }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const afterwards = useRef(onClosed);
  const titleId = useId();
  // The component closes the dialog before its removal, because only then the browser restores the focus.
  useLayoutEffect(() => {
    const dialog = element.current;
    const closed = afterwards.current;
    dialog?.showModal();
    const endSearch = findVisibleArea((area) => {
      if (dialog !== null) {
        const top = placeIn(area, dialog.offsetHeight);
        dialog.style.setProperty('inset-block', `${top}px auto`);
        // A dialog that grows scrolls, because nobody can scroll to what is below the frame.
        dialog.style.setProperty('max-height', `calc(100dvh - ${top}px)`);
      }
    });
    return () => {
      endSearch();
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
        // Browsers without `closedby` let a page cancel the closing of a dialog only once in a row.
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

/** The space above a dialog in the middle of the part that the user sees. The dialog does not leave the frame. */
function placeIn({ top, height }: DOMRectReadOnly, dialogHeight: number): number {
  const middle = top + Math.max(0, (height - dialogHeight) / 2);
  return Math.max(0, Math.min(middle, innerHeight - dialogHeight));
}
