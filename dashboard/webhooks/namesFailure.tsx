import { FailureNotice } from '../components/failureNotice.js';
import { useWebhooks } from './webhookNames.js';

/** A notice on pages that show ids because the names of webhooks could not be loaded. */
export function NamesFailure() {
  const { failure, value, reload } = useWebhooks();
  return value === null ? (
    <FailureNotice failure={failure} onRetry={reload}>
      <p>The webhooks of the account could not be loaded. The page shows their ids.</p>
    </FailureNotice>
  ) : null;
}
