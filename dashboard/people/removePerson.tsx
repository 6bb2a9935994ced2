import { answerOf } from '../api/answer.js';
import type { User } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Confirmation } from '../components/confirmation.js';
import { useApi } from '../session/session.js';

interface RemovePersonProps {
  readonly user: User;
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

export function RemovePerson({ user, onRemoved, onClose }: RemovePersonProps) {
  const api = useApi();
  const announce = useAnnounce();
  return (
    <Confirmation
      title="Remove this person?"
      deed="Remove"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await answerOf(api.DELETE('/v1/users/{id}', { params: { path: { id: user.id } } }));
        announce(`${user.email} is removed.`);
        onRemoved();
      }}
    >
      <p>
        <strong class="breakable">{user.email}</strong> is signed out everywhere, and can no longer sign in.
        API keys go on working: delete those that they know.
      </p>
    </Confirmation>
  );
}
