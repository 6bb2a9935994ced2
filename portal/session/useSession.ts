import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import { failureOf, type RequestFailure } from '../../dashboard/api/failure.js';
import type { PortalSession } from '../../dashboard/api/types.js';
import type { ParentPage } from './parentPage.js';
import type { PortalAccess } from './portalContext.js';
import { createApiWith, createRenewableApi, unauthorized, type RenewableApi } from './renewableApi.js';
import { storeToken } from './token.js';

/** A token with its session, which the service has confirmed, and the API client of all tokens. */
interface Access extends PortalAccess, RenewableApi {
  readonly token: string;
}

/** Why a token could not be checked, and how to check it again. */
interface FailedCheck {
  readonly reason: RequestFailure;
  readonly retry: () => void;
}

/** The session of the newest valid token. */
interface Session {
  readonly access: PortalAccess | null;
  readonly isExpired: boolean;
  readonly failed: FailedCheck | null;
}

/**
 * The session of the newest valid token: the first one, or one that the host page has passed. When the session ends, the
 * host page is asked for a token.
 */
export function useSession(first: string | null, parent: ParentPage): Session {
  const { access, ended, unusable, setUnusable, failed, check } = useTokens();
  useEffect(() => {
    if (first !== null) {
      void check(first);
    }
  }, [first, check]);
  useEffect(() => parent.listen((token) => void check(token)), [parent, check]);
  const token = access?.token ?? first;
  const isExpired = token === null || ended.has(token);
  useEffect(() => {
    setUnusable(0);
  }, [isExpired, setUnusable]);
  useAskForToken(parent, isExpired, unusable);
  useExpiryCheck(access);
  const isOpen = access !== null;
  useEffect(() => {
    if (isOpen) {
      parent.post({ type: 'postrider:ready' });
    }
  }, [isOpen, parent]);
  return { access, isExpired, failed };
}

/** The newest valid token, and what became of the others. */
function useTokens() {
  const [access, setAccess] = useState<Access | null>(null);
  /** The tokens whose sessions have ended. A late response to an earlier token ends no later session. */
  const [ended, setEnded] = useState<ReadonlySet<string>>(new Set());
  /** The number of tokens that could not be used since the session has ended, such as those of other tenants. */
  const [unusable, setUnusable] = useState(0);
  const [failed, setFailed] = useState<FailedCheck | null>(null);
  const newest = useRef<Access | null>(null);
  const newestEnded = useRef(ended);

  const check = useCallback(async (token: string): Promise<void> => {
    const end = (rejected: string) => {
      newestEnded.current = new Set([...newestEnded.current, rejected]);
      setEnded(newestEnded.current);
    };
    setFailed(null);
    // A process of the service may accept an ended session for a moment longer than another one.
    if (newestEnded.current.has(token)) {
      setUnusable((before) => before + 1);
      return;
    }
    try {
      const session = await answerOf(createApiWith(token).GET('/v1/portal-session', {}));
      const renewed = renewedAccess(newest.current, { token, session }, end);
      if (renewed === null) {
        setUnusable((before) => before + 1);
        return;
      }
      storeToken(window, token);
      newest.current = renewed;
      setAccess(renewed);
    } catch (thrown) {
      const reason = failureOf(thrown);
      if (reason.status === unauthorized) {
        end(token);
        setUnusable((before) => before + 1);
      } else {
        setFailed({ reason, retry: () => void check(token) });
      }
    }
  }, []);
  return { access, ended, unusable, setUnusable, failed, check };
}

/** The access with a new token, or null if the token belongs to another tenant. */
function renewedAccess(
  before: Access | null,
  { token, session }: Pick<Access, 'token' | 'session'>,
  onEnded: (token: string) => void,
): Access | null {
  if (before === null) {
    return { ...createRenewableApi(token, onEnded), token, session };
  }
  if (!isSameTenant(before.session, session)) {
    return null;
  }
  before.renew(token);
  return { ...before, token, session };
}

/** Whether two sessions show the same data. A token of another tenant would mix the data of two customers. */
function isSameTenant(one: PortalSession, other: PortalSession): boolean {
  return one.accountId === other.accountId && one.mode === other.mode && one.tenant.id === other.tenant.id;
}

const firstDelayMs = 1000;
const longestDelayMs = 60_000;

/**
 * Asks the host page for a token when the session has ended, and again after each token that cannot be used. Each time
 * the delay doubles, so a host page that always answers with such tokens causes few requests.
 */
function useAskForToken(parent: ParentPage, isExpired: boolean, unusable: number): void {
  useEffect(() => {
    if (!isExpired) {
      return undefined;
    }
    const delayMs = unusable === 0 ? 0 : Math.min(firstDelayMs * 2 ** (unusable - 1), longestDelayMs);
    const timer = setTimeout(() => {
      parent.post({ type: 'postrider:session-expired' });
    }, delayMs);
    return () => {
      clearTimeout(timer);
    };
  }, [parent, isExpired, unusable]);
}

/** The time by which the clock of the service may be behind, in milliseconds. */
const graceMs = 1000;

/**
 * Sends a request when the session expires, so that the host page is asked for a token before the user submits a form.
 * The response decides whether the session has ended, because the clock of the device may be wrong.
 */
function useExpiryCheck(access: Access | null): void {
  useEffect(() => {
    const expiresAt = access?.session.expiresAt ?? null;
    if (access === null || expiresAt === null) {
      return undefined;
    }
    const timer = setTimeout(
      () => {
        // Without a response, the next request of a view finds out.
        access.api.GET('/v1/portal-session', {}).catch(() => undefined);
      },
      Date.parse(expiresAt) - Date.now() + graceMs,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [access]);
}
