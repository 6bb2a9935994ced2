import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import { createApi } from '../api/client.js';
import { failureOf, type RequestFailure } from '../api/failure.js';
import type { Account } from '../api/types.js';
import { FailureNotice } from '../components/failureNotice.js';
import { useMode } from '../navigation/useMode.js';
import { home } from '../navigation/places.js';
import { Entrance } from './entrance.js';
import { LinkPage } from './linkPage.js';
import { SessionContext } from './session.js';
import { SignInPage } from './signInPage.js';

type State =
  | { readonly kind: 'unknown'; readonly failure: RequestFailure | null }
  | { readonly kind: 'signedOut'; readonly hasEnded: boolean }
  | { readonly kind: 'signedIn'; readonly account: Account & { session: NonNullable<Account['session']> } };

const unauthorized = 401;
const linkPlace = `${home}/link`;

/** Renders its children for a signed-in user, otherwise the sign-in page. The address of the page stays unchanged. */
export function SessionGate({ children }: { readonly children: ComponentChildren }) {
  const { path, route } = useLocation();
  const mode = useMode();
  const [state, setState] = useState<State>({ kind: 'unknown', failure: null });
  const csrfToken = state.kind === 'signedIn' ? state.account.session.csrfToken : null;
  const onSignedOut = useCallback(() => {
    setState((before) => ({ kind: 'signedOut', hasEnded: before.kind === 'signedIn' }));
  }, []);
  const api = useMemo(() => createApi({ mode, csrfToken, onSignedOut }), [mode, csrfToken, onSignedOut]);

  const enter = useCallback(async () => {
    const entrance = createApi({ mode: 'live', csrfToken: null, onSignedOut: () => undefined });
    try {
      const account = await answerOf(entrance.GET('/v1/account'));
      const { session } = account;
      setState(
        session === null
          ? { kind: 'signedOut', hasEnded: false }
          : { kind: 'signedIn', account: { ...account, session } },
      );
    } catch (thrown) {
      const failure = failureOf(thrown);
      setState(
        failure.status === unauthorized
          ? { kind: 'signedOut', hasEnded: false }
          : { kind: 'unknown', failure },
      );
    }
  }, []);
  useEffect(() => {
    void enter();
  }, [enter]);

  const access = useMemo(
    () =>
      state.kind === 'signedIn'
        ? {
            user: state.account.session.user,
            account: state.account,
            api,
            signOut: async () => {
              await answerOf(api.DELETE('/v1/session'));
              setState({ kind: 'signedOut', hasEnded: false });
            },
          }
        : null,
    [state, api],
  );

  if (path === linkPlace) {
    return (
      <LinkPage
        api={api}
        onSignedIn={() => {
          route(home, true);
          void enter();
        }}
      />
    );
  }
  if (access !== null) {
    return <SessionContext.Provider value={access}>{children}</SessionContext.Provider>;
  }
  if (state.kind === 'signedOut') {
    return <SignInPage api={api} hasEnded={state.hasEnded} onSignedIn={enter} />;
  }
  return state.kind === 'unknown' && state.failure !== null ? (
    <Entrance title="The dashboard could not be opened">
      <FailureNotice
        failure={state.failure}
        onRetry={() => {
          void enter();
        }}
      />
    </Entrance>
  ) : (
    <div class="opening" role="status">
      <span class="hidden">Opening the dashboard</span>
    </div>
  );
}
