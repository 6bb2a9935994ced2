import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

import { useAction } from '../api/useAction.js';
import { focusHeading } from '../navigation/usePageHeading.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNotice } from './failureNotice.js';

interface ConfirmationProps {
  readonly title: string;
  /** What will happen, and what cannot be undone. */
  readonly children: ComponentChildren;
  /** The label of the button: the action, never only `OK`. */
  readonly deed: string;
  readonly isDangerous?: boolean;
  /** Whether the element that opened the dialog disappears. Then the heading of the page gets the focus. */
  readonly takesAway?: boolean;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for confirmation before an action. If the action fails, the dialog stays open and shows the reason. */
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
