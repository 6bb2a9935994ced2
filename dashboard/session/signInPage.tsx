import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { TextField } from '../components/textField.js';
import { Entrance } from './entrance.js';

interface SignInProps {
  readonly api: Api;
  /** Whether the session has just ended. */
  readonly hasEnded: boolean;
  readonly onSignedIn: () => Promise<void>;
}

export function SignInPage({ api, hasEnded, onSignedIn }: SignInProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useAction(async () => {
    await answerOf(api.POST('/v1/session', { body: { email, password } }));
    await onSignedIn();
  });
  return (
    <Entrance title="Sign in">
      {hasEnded && <Notice kind="info">Your session has ended. Sign in to continue.</Notice>}
      <Form onSubmit={signIn.run}>
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          value={email}
          onInput={setEmail}
          required
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          value={password}
          onInput={setPassword}
          required
        />
        <FailureNotice failure={signIn.failure} />
        <Button type="submit" kind="primary" isBusy={signIn.isRunning} isWide>
          Sign in
        </Button>
      </Form>
      <p class="quiet">
        If you have no password, an owner of the account can create a new sign-in link for you on the page
        Users. The operator of this service can create a sign-in link with{' '}
        <code>postrider account sign-in-link</code>.
      </p>
    </Entrance>
  );
}
