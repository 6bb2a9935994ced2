import { LogOut } from 'lucide';

import { useAction } from '../api/useAction.js';
import { Icon } from '../components/icon.js';
import { useSession } from '../session/session.js';
import { ThemeSwitch } from './themeSwitch.js';
import { WatchSwitch } from './troubleWatch.js';
import { ZoneSwitch } from './zoneSwitch.js';

/** The signed-in user and the sign-out button. */
export function AccountBox() {
  const { user, account, signOut } = useSession();
  const leave = useAction(signOut);
  return (
    <div class="account-box">
      <ThemeSwitch />
      <ZoneSwitch />
      <WatchSwitch />
      <div class="account-line">
        <span class="account-names">
          <strong class="one-line">{account.name}</strong>
          <span class="quiet small one-line">
            {user.email} · {user.role}
          </span>
        </span>
        <button
          type="button"
          class="icon-button"
          title="Sign out"
          aria-label="Sign out"
          onClick={() => leave.run()}
        >
          <Icon of={LogOut} size={17} />
        </button>
      </div>
      {leave.failure !== null && <p role="alert">{leave.failure.message}</p>}
    </div>
  );
}
