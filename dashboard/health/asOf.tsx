import { Notice } from '../components/notice.js';
import { Time } from '../components/time.js';

/** The warning that counts are older than they should be. Events that were posted later are not counted. */
export function AsOf({ at }: { readonly at: string }) {
  return (
    <Notice kind="warn">
      <p>
        <strong>The counts are not current.</strong> They contain the deliveries up to <Time at={at} />. The
        service has not yet processed later events.
      </p>
    </Notice>
  );
}
