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

/** From nothing to a delivered event, in the order in which it goes; what is done has a tick. */
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
            Your program posts events with it. You get a command with the key filled in, to try it at once.
          </p>
          {isOwner ? (
            <StepLink isNext={!hasKey} href={address('/api-keys')}>
              Create a key
            </StepLink>
          ) : (
            <p class="quiet">An owner of the account can create one for you.</p>
          )}
        </Step>
        <Step title="Add a webhook" isDone={hasWebhook}>
          <p>
            The address that events go to. No receiver yet? There is a small one to copy, in the next step.
            {mode === 'test' && ' In test mode it is kept and never called.'}
          </p>
          {isDeveloper ? (
            <StepLink isNext={hasKey && !hasWebhook} href={address('/webhooks/new')}>
              Add a webhook
            </StepLink>
          ) : (
            <p class="quiet">A developer or owner of the account can add one.</p>
          )}
        </Step>
        <Step title="Post an event and watch it arrive" isDone={false}>
          <p>
            Open Events, follow live, and run the command: the event shows with each delivery and each
            attempt.
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
  /** Whether it is what to do now. */
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

/** Whether the account has a key beside the first one of the mode, which whoever made the account was given, or that one is used. */
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
