import { answerOf } from '../api/answer.js';
import type { Role, User } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { useApi } from '../session/session.js';
import { roleOptions } from './roles.js';

interface RoleSelectProps {
  readonly user: User;
  readonly onChanged: () => void;
}

export function RoleSelect({ user, onChanged }: RoleSelectProps) {
  const api = useApi();
  const announce = useAnnounce();
  const change = useAction(async (role: Role) => {
    try {
      await answerOf(api.PATCH('/v1/users/{id}', { params: { path: { id: user.id } }, body: { role } }));
      announce(`${user.email} is now ${role}.`);
    } finally {
      onChanged();
    }
  });
  return (
    <>
      <select
        aria-label={`Role of ${user.email}`}
        onChange={({ currentTarget }) => {
          const chosen = roleOptions[currentTarget.selectedIndex];
          if (chosen !== undefined) {
            change.run(chosen[0]);
          }
        }}
      >
        {roleOptions.map(([role, name]) => (
          <option key={role} value={role} selected={role === user.role}>
            {name}
          </option>
        ))}
      </select>
      {change.failure !== null && (
        <span class="field-error" role="alert">
          {change.failure.message}
        </span>
      )}
    </>
  );
}
