import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { SecretOnce } from '../components/secretOnce.js';

interface LinkOnceProps {
  readonly link: string;
  readonly email: string;
  readonly validFor: string;
  readonly onClose: () => void;
}

/** A dialog with a one-time link, which is shown only once. */
export function LinkOnce({ link, email, validFor, onClose }: LinkOnceProps) {
  return (
    <Dialog title="Sign-in link" onClose={onClose} isDismissible={false}>
      <SecretOnce secret={link} what="link">
        <p>
          Send this sign-in link to the user. The first person who opens the link sets the password of{' '}
          <strong class="breakable">{email}</strong>. The link is valid for {validFor} and works once.
        </p>
      </SecretOnce>
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have copied the link
        </Button>
      </div>
    </Dialog>
  );
}
