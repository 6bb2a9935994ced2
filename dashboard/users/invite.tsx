import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Role } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { SelectField } from '../components/selectField.js';
import { TextField } from '../components/textField.js';
import { useApi } from '../session/session.js';
import { LinkOnce } from './linkOnce.js';
import { roleOptions, roleTexts } from './roles.js';

interface InviteProps {
  readonly onInvited: () => void;
  readonly onClose: () => void;
}

export function Invite({ onInvited, onClose }: InviteProps) {
  const api = useApi();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const [link, setLink] = useState<string | null>(null);
  const invite = useAction(async () => {
    setLink((await answerOf(api.POST('/v1/users', { body: { email: email.trim(), role } }))).signInUrl);
    onInvited();
  });
  if (link !== null) {
    return <LinkOnce link={link} email={email} validFor="a week" onClose={onClose} />;
  }
  return (
    <Dialog title="Invite user" onClose={onClose}>
      <Form onSubmit={invite.run}>
        <TextField
          label="Email"
          type="email"
          value={email}
          onInput={setEmail}
          autoComplete="off"
          hint="The service sends no email. The next step shows a sign-in link that you send to the user."
          required
        />
        <SelectField
          label="Role"
          value={role}
          options={roleOptions}
          onChange={setRole}
          hint={roleTexts.find(([each]) => each === role)?.[2]}
        />
        <FailureNotice failure={invite.failure} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={invite.isRunning}>
            Create link
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
