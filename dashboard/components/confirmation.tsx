import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

import { useAction } from '../api/useAction.js';
import { focusHeading } from '../navigation/usePageHeading.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNotice } from './failureNotice.js';

interface ConfirmationProps {
  readonly title: string;
  /** The effect of the action, and whether it can be undone. */
  readonly children: ComponentChildren;
  /** The label of the button, which names the action and is never only `OK`. */
  readonly deed: string;
  readonly isDangerous?: boolean;
  /**
   * Whether the element that opened the dialog disappears. If the element disappears, the heading of the page gets the
   * focus.
   */
  readonly takesAway?: boolean;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/**
 * A dialog that asks for confirmation before an action. If the action fails, the dialog stays open and shows the
 * reason.
 */
export function Confirmation(props: ConfirmationProps) {
  const { title, children, deed, isDangerous = false, takesAway = isDangerous } = props;
  const { onConfirm, onClose } = props;
  const isGone = useRef(false);
  const action = useAction(async () => {
    await onConfirm();
    isGone.current = takesAway;
    onClose();
  });
  const onClosed = () => {
    if (isGone.current) {
      focusHeading();
    }
  };
  return (
    <Dialog title={title} onClose={onClose} onClosed={onClosed}>
      <div class="dialog-text">{children}</div>
      <FailureNotice failure={action.failure} />
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind={isDangerous ? 'danger' : 'primary'} isBusy={action.isRunning} onClick={action.run}>
          {deed}
        </Button>
      </div>
    </Dialog>
  );
}
