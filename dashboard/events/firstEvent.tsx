import { CodeBlock } from '../components/codeBlock.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { curlForEvent } from './curl.js';

/** An example request for posting an event, without a real key. */
export function FirstEvent() {
  const mode = useMode();
  const address = useAddress();
  return (
    <>
      <CodeBlock what="command" text={curlForEvent(location.origin, `sk_${mode}_…`)} />
      <p class="quiet">
        Replace <code>sk_{mode}_…</code> with your own API key. If you have no API key,{' '}
        <a href={address('/api-keys')}>create a key</a>. The dashboard then shows the command with your key.
      </p>
    </>
  );
}
