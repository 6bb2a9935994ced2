import { answerOf } from '../api/answer.js';
import type { ApiKey } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Confirmation } from '../components/confirmation.js';
import { Time } from '../components/time.js';
import { useApi } from '../session/session.js';

interface DeleteKeyProps {
  readonly apiKey: ApiKey;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export function DeleteKey({ apiKey, onDeleted, onClose }: DeleteKeyProps) {
  const api = useApi();
  const announce = useAnnounce();
  const { id, name, lastUsedAt } = apiKey;
  return (
    <Confirmation
      title="Delete this key?"
      deed="Delete key"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await answerOf(api.DELETE('/v1/api-keys/{id}', { params: { path: { id } } }));
        announce('The key was deleted.');
        onDeleted();
      }}
    >
      <p>
        Within a second, the service rejects requests with <strong class="breakable">{name}</strong>.{' '}
        {lastUsedAt === null ? (
          'The key was never used.'
        ) : (
          <>
            It was last used <Time at={lastUsedAt} form="relative" />.
          </>
        )}{' '}
        A deleted key cannot be restored.
      </p>
    </Confirmation>
  );
}
