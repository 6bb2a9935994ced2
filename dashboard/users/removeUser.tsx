import { answerOf } from '../api/answer.js';
import type { User } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Confirmation } from '../components/confirmation.js';
import { useApi } from '../session/session.js';

interface RemoveUserProps {
  readonly user: User;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

export function RemoveUser({ user, onRemoved, onClose }: RemoveUserProps) {
  const api = useApi();
  const announce = useAnnounce();
  return (
    <Confirmation
      title="Remove this user?"
      deed="Remove user"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await answerOf(api.DELETE('/v1/users/{id}', { params: { path: { id: user.id } } }));
        announce(`${user.email} was removed.`);
        onRemoved();
      }}
    >
      <p>
        <strong class="breakable">{user.email}</strong> is signed out everywhere and cannot sign in again. API
        keys continue to work, so delete the keys that the user knows.
      </p>
    </Confirmation>
  );
}
