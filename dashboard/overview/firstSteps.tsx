import { LinkButton } from '../components/button.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useMay } from '../session/session.js';

/** From nothing to a delivered event, in the order in which it goes. */
export function FirstSteps() {
  const address = useAddress();
  const mode = useMode();
  const isOwner = useMay('owner');
  return (
    <section class="card card-text first-steps" aria-labelledby="steps-heading">
      <h2 id="steps-heading">Your first delivery</h2>
      <ol class="steps">
        <li>
          <h3>Create an API key</h3>
          <p>
            Your program posts events with it. You get a command with the key filled in, to try it at once.
          </p>
          {isOwner ? (
            <LinkButton kind="primary" href={address('/api-keys')}>
              Create a key
            </LinkButton>
          ) : (
            <p class="quiet">An owner of the account can create one for you.</p>
          )}
        </li>
        <li>
          <h3>Add a webhook</h3>
          <p>
            The address that events go to. No receiver yet? There is a small one to copy, in the next step.
            {mode === 'test' && ' In test mode it is kept and never called.'}
          </p>
          <LinkButton href={address('/webhooks/new')}>Add a webhook</LinkButton>
        </li>
        <li>
          <h3>Post an event and watch it arrive</h3>
          <p>
            Open Events, follow live, and run the command: the event shows with each delivery and each
            attempt.
          </p>
          <LinkButton href={address('/events?live=1')}>Follow events</LinkButton>
        </li>
      </ol>
    </section>
  );
}
