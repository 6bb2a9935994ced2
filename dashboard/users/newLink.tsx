import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { User } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { useApi } from '../session/session.js';
import { LinkOnce } from './linkOnce.js';

export function NewLink({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const api = useApi();
  const [link, setLink] = useState<string | null>(null);
  const make = useAction(async () => {
    const params = { path: { id: user.id } };
    const { signInUrl } = await answerOf(api.PATCH('/v1/users/{id}', { params, body: { newLink: true } }));
    setLink(signInUrl ?? null);
  });
  if (link !== null) {
    return (
      <LinkOnce
        link={link}
        email={user.email}
        validFor={user.status === 'invited' ? 'a week' : 'a day'}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="Create sign-in link?" onClose={onClose}>
      <div class="dialog-text">
        <p>
          With the sign-in link, <strong class="breakable">{user.email}</strong> sets a new password. Earlier
          sign-in links stop working. The current password works until the new password is set.
        </p>
      </div>
      <FailureNotice failure={make.failure} />
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={make.isRunning} onClick={make.run}>
          Create link
        </Button>
      </div>
    </Dialog>
  );
}
