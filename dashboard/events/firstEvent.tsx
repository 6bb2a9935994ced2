import { CodeBlock } from '../components/codeBlock.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { curlForEvent } from './curl.js';

/** How to post an event, for who has no key at hand. */
export function FirstEvent() {
  const mode = useMode();
  const address = useAddress();
  return (
    <>
      <CodeBlock what="command" text={curlForEvent(location.origin, `sk_${mode}_…`)} />
      <p class="quiet">
        Put your own key in the place of <code>sk_{mode}_…</code>. If you have none,{' '}
        <a href={address('/api-keys')}>create one</a>: the command is then shown with it.
      </p>
    </>
  );
}
