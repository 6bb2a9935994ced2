import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import type { RequestFailure } from '../api/failure.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { TextField } from '../components/textField.js';
import { home } from '../navigation/places.js';
import { Entrance } from './entrance.js';

const shortestPassword = 12;
const longestPassword = 200;

interface LinkProps {
  readonly api: Api;
  readonly onSignedIn: () => void;
}

/**
 * The page that a one-time link opens. The token of the link follows the `#`, which browsers do not send to servers.
 */
export function LinkPage({ api, onSignedIn }: LinkProps) {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '');
  return token === '' ? (
    <Entrance title="This link is incomplete">
      <p>Open the whole sign-in link, up to its last character, or request a new link.</p>
      <a href={home}>Sign in with a password</a>
    </Entrance>
  ) : (
    <Entrance title="Welcome to Postrider">
      <p>Choose a password. The sign-in link works only once. After that, you sign in with your password.</p>
      <LinkForm api={api} token={token} onSignedIn={onSignedIn} />
    </Entrance>
  );
}

function LinkForm({ api, token, onSignedIn }: LinkProps & { readonly token: string }) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const join = useAction(async () => {
    const named = name.trim() === '' ? {} : { name: name.trim() };
    await answerOf(api.POST('/v1/session/link', { body: { token, password, ...named } }));
    onSignedIn();
  });
  const ofPassword = join.failure?.param === 'password' ? join.failure.message : null;
  return (
    <Form onSubmit={join.run}>
      <TextField
        label="Your name"
        autoComplete="name"
        value={name}
        onInput={setName}
        maxLength={100}
        isOptional
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        hint={`A password has at least ${shortestPassword} characters. A few words in a row are easy to remember.`}
        value={password}
        onInput={setPassword}
        minLength={shortestPassword}
        maxLength={longestPassword}
        error={ofPassword}
        required
      />
      {ofPassword === null && <LinkFailure failure={join.failure} />}
      <Button type="submit" kind="primary" isBusy={join.isRunning} isWide>
        Set password and sign in
      </Button>
    </Form>
  );
}

function LinkFailure({ failure }: { readonly failure: RequestFailure | null }) {
  return failure?.code === 'link_invalid' ? (
    <Notice kind="bad">
      The sign-in link was already used, or it has expired. Request a new link from the sender, or{' '}
      <a href={home}>sign in</a> with your password.
    </Notice>
  ) : (
    <FailureNotice failure={failure} />
  );
}
