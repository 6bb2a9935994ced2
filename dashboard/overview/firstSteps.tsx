import { Check } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { ApiKey } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { LinkButton } from '../components/button.js';
import { Icon } from '../components/icon.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';

/** The steps to the first delivered event, in order. Finished steps are checked. */
export function FirstSteps({ hasWebhook }: { readonly hasWebhook: boolean }) {
  const address = useAddress();
  const mode = useMode();
  const isOwner = useMay('owner');
  const isDeveloper = useMay('developer');
  const hasKey = useHasOwnKey(isOwner);
  return (
    <section class="card card-text first-steps" aria-labelledby="steps-heading">
      <h2 id="steps-heading">Your first delivery</h2>
      <ol class="steps">
        <Step title="Create an API key" isDone={hasKey}>
          <p>
            Your program posts events with an API key. After you create a key, the dashboard shows a command
            that posts an event with the key.
          </p>
          {isOwner ? (
            <StepLink isNext={!hasKey} href={address('/api-keys')}>
              Create key
            </StepLink>
          ) : (
            <p class="quiet">An owner of the account can create a key for you.</p>
          )}
        </Step>
        <Step title="Add a webhook" isDone={hasWebhook}>
          <p>
            A webhook is a URL to which the service sends events. If you have no receiver yet, copy the
            example receiver that the next page shows.
            {mode === 'test' && ' In test mode, a webhook receives no events.'}
          </p>
          {isDeveloper ? (
            <StepLink isNext={hasKey && !hasWebhook} href={address('/webhooks/new')}>
              Add webhook
            </StepLink>
          ) : (
            <p class="quiet">A developer or owner of the account can add a webhook.</p>
          )}
        </Step>
        <Step title="Post an event and watch its delivery" isDone={false}>
          <p>
            Open the page Events, follow live, and run the command. The page of the event shows each delivery
            and attempt.
          </p>
          <StepLink isNext={hasKey && hasWebhook} href={address('/events?live=1')}>
            Follow events
          </StepLink>
        </Step>
      </ol>
    </section>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ComponentChildren;
}

function Step({ title, isDone, children }: StepProps) {
  return (
    <li class={isDone ? 'step-done' : ''}>
      <h3>
        {title}
        {isDone && (
          <>
            <Icon of={Check} size={16} />
            <span class="hidden"> (done)</span>
          </>
        )}
      </h3>
      {children}
    </li>
  );
}

interface StepLinkProps {
  /** Whether the step is the next one for the user. */
  readonly isNext: boolean;
  readonly href: string;
  readonly children: ComponentChildren;
}

function StepLink({ isNext, href, children }: StepLinkProps) {
  return (
    <LinkButton kind={isNext ? 'primary' : 'secondary'} href={href}>
      {children}
    </LinkButton>
  );
}

/**
 * Whether the account has used an API key, or has another key than the first key of the mode. The first key was given
 * to the person who created the account.
 */
function useHasOwnKey(isOwner: boolean): boolean {
  const api = useApi();
  const mode = useMode();
  const load = useCallback(
    async (signal: AbortSignal): Promise<readonly ApiKey[]> =>
      isOwner ? (await answerOf(api.GET('/v1/api-keys', { signal }))).data : [],
    [api, isOwner],
  );
  const keys = (useLoaded(load).value ?? []).filter((key) => key.mode === mode);
  return keys.length > 1 || keys.some(({ lastUsedAt }) => lastUsedAt !== null);
}
