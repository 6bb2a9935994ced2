import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { SecretOnce } from '../components/secretOnce.js';

interface LinkOnceProps {
  readonly link: string;
  readonly email: string;
  readonly validFor: string;
  readonly onClose: () => void;
}

/** A one-time link, shown this once. */
export function LinkOnce({ link, email, validFor, onClose }: LinkOnceProps) {
  return (
    <Dialog title="Send them this link" onClose={onClose} isDismissible={false}>
      <SecretOnce secret={link} what="link">
        <p>
          Whoever opens it first sets the password of <strong class="breakable">{email}</strong>. It is valid
          for {validFor}, and works once.
        </p>
      </SecretOnce>
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
