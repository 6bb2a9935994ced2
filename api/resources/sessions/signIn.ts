import { normalizeEmail } from '../../../shared/domain/accounts/user.js';
import type { SignInAdmission, SignInThrottle } from '../../../shared/store/redis/signInThrottle.js';
import type {
  CheckCredentials,
  CheckedCredentials,
  Credentials,
  Member,
} from '../../authentication/credentials.js';
import type { DeviceCookie, KnownDevice } from '../../authentication/deviceCookie.js';

export type SignInOutcome =
  | { readonly kind: 'limited'; readonly waitSeconds: number }
  /** @param members the users whose password was checked */
  | { readonly kind: 'failed'; readonly members: readonly Member[] }
  | { readonly kind: 'member'; readonly member: Member };

export interface SignInRequest {
  readonly credentials: Credentials;
  readonly network: string;
  /** The value of the header `Cookie`. */
  readonly cookies: string | undefined;
}

export interface SignInDependencies {
  readonly throttle: SignInThrottle;
  readonly checkCredentials: CheckCredentials;
  readonly deviceCookie: Pick<DeviceCookie, 'read'>;
}

/**
 * Signs in with a password, within the limits of failed sign-ins.
 *
 * ```
 *  device cookie of user U? ── no, or its limit is reached ──► limits of network and address ──► any member may match
 *           │ yes                                                        │ reached ──► limited
 *           ▼
 *  U's password matches? ── yes ──► signed in, whatever others have done to the limits of network and address
 *           │ no
 *           ▼
 *  limits of network and address ──► another member may match, or failed
 * ```
 *
 * A device cookie counts only for its own user. If it counted for all users of an address, an attacker could invite a
 * victim's address to an own account and sign in there. Each such cookie would allow further guesses of the victim's
 * other passwords.
 */
export function createSignIn({ throttle, checkCredentials, deviceCookie }: SignInDependencies) {
  const signInFromDevice = async (
    { credentials, network }: SignInRequest,
    { userId }: KnownDevice,
  ): Promise<SignInOutcome & { readonly isOwn: boolean }> => {
    const checked = await checkCredentials(credentials, network);
    const own = checked.matching.find(({ user }) => user.id === userId);
    if (own !== undefined) {
      return { kind: 'member', member: own, isOwn: true };
    }
    const email = normalizeEmail(credentials.email);
    const admission = await throttle.admit({ network, email });
    if (!admission.admitted) {
      // The response to a wrong password must not reveal whether the password of another member was right.
      return { kind: 'failed', members: checked.members, isOwn: false };
    }
    return { ...(await conclude(checked, admission)), isOwn: false };
  };

  return async (request: SignInRequest): Promise<SignInOutcome> => {
    const { credentials, network, cookies } = request;
    const email = normalizeEmail(credentials.email);
    const device = deviceCookie.read(cookies, email);
    const ofDevice = device === null ? null : await throttle.admitDevice(device.id);
    if (device !== null && ofDevice?.admitted === true) {
      const { isOwn, ...outcome } = await forgiveOnError(ofDevice, () => signInFromDevice(request, device));
      if (isOwn) {
        await ofDevice.forgive();
      }
      return outcome;
    }
    const admission = await throttle.admit({ network, email });
    return admission.admitted
      ? forgiveOnError(admission, async () =>
          conclude(await checkCredentials(credentials, network), admission),
        )
      : { kind: 'limited', waitSeconds: admission.waitSeconds };
  };
}

type AdmittedSignIn = Extract<SignInAdmission, { admitted: true }>;

async function conclude(
  { members, matching }: CheckedCredentials,
  { forgive }: AdmittedSignIn,
): Promise<SignInOutcome> {
  const [member] = matching;
  if (member === undefined) {
    return { kind: 'failed', members };
  }
  await forgive();
  return { kind: 'member', member };
}

/** Forgives an attempt that could not be checked, because such an attempt is not a failure. */
export async function forgiveOnError<Result>(
  { forgive }: AdmittedSignIn,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await forgive();
    throw error;
  }
}
