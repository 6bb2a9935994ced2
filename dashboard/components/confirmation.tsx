import type { ComponentChildren } from 'preact';

import { useAction } from '../api/useAction.js';
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
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Asks before something is done. It stays, with the reason, where that fails. */
export function Confirmation(props: ConfirmationProps) {
  const { title, children, deed, isDangerous = false, onConfirm, onClose } = props;
  const action = useAction(async () => {
    await onConfirm();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
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
