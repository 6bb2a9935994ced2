import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';

import { useAction } from '../api/useAction.js';
import { focusHeading } from '../navigation/usePageHeading.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNotice } from './failureNotice.js';

interface ConfirmationProps {
  readonly title: string;
  /** What is going to happen, and what is not to be undone. */
  readonly children: ComponentChildren;
  /** What the button says: the deed, never only `OK`. */
  readonly deed: string;
  readonly isDangerous?: boolean;
  /** Whether what it was asked from is gone afterwards: then the focus goes to the heading of the page. */
  readonly takesAway?: boolean;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something is done. It stays, with the reason, where that fails. */
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
