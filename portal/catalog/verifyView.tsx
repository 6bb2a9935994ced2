import { ViewFrame } from '../components/viewFrame.js';
import { Samples } from '../../dashboard/integration/sampleCode.js';

/** Sample code that verifies events, in four languages. */
export function VerifyView() {
  return (
    <ViewFrame
      title="Verify events"
      lede="Each event is signed by the rules of Standard Webhooks. Check the signature before you trust an event."
    >
      <section aria-label="Sample code" class="card card-text">
        <Samples />
      </section>
      <section aria-labelledby="rules-heading" class="card card-text">
        <h2 id="rules-heading">What your server should do</h2>
        <ul class="findings">
          <li>Verify the body exactly as it was received, before a JSON parser reads it.</li>
          <li>Answer with a 2xx status within a few seconds, and do long work afterwards.</li>
          <li>
            An event can arrive more than once. Store the header <code>webhook-id</code>, and ignore an event
            whose id you have stored.
          </li>
          <li>
            Keep the signing secret in a secret store or an environment variable, and never in your code. It
            is shown when you add an endpoint. If you no longer have it, open the endpoint and rotate it.
          </li>
        </ul>
      </section>
    </ViewFrame>
  );
}
