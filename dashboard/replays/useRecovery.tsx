import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { useAction } from '../api/useAction.js';
import type { DeliveryFailures, Webhook, WebhookHealth } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { FailureNotice } from '../components/failureNotice.js';
import { possiblyProcessed } from '../health/healthText.js';
import { useApi } from '../session/session.js';
import { ConfirmReplay } from './confirmReplay.js';
import { countReplays, type CountedReplay, type ReplayRequest } from './countedReplay.js';
import type { StartedReplay } from './replayList.js';

/** What to send to a webhook: a replay for each part. */
export interface RecoveryRequest {
  readonly webhook: Pick<Webhook, 'id' | 'name' | 'url'>;
  readonly parts: readonly Omit<ReplayRequest, 'webhookId'>[];
  /** The errors of the deliveries, or null if unknown. After some errors, the receiver may have processed the event. */
  readonly failures: readonly DeliveryFailures[] | null;
  /** Whether the webhook is disabled, and is enabled before anything is sent. */
  readonly enables: boolean;
}

/** The start of a replay of existing deliveries. Deliveries of replayed events can be older than the webhook. */
export const ever = new Date(0).toISOString();

/**
 * Everything that the counts of a webhook contain. The selection `undelivered` also contains events without a delivery,
 * which the counts do not contain. The open deliveries come first, because failed deliveries become open.
 */
export function retryOf(webhook: Webhook, health: WebhookHealth): RecoveryRequest {
  const { failed, canceled, retrying, pending, failures } = health;
  const parts = [
    ...(retrying + pending === 0 ? [] : [{ since: ever, only: 'open' as const }]),
    ...(failed + canceled === 0 ? [] : [{ since: ever, only: 'failed' as const }]),
  ];
  return { webhook, parts, failures, enables: false };
}

/** Everything that a disabled webhook has not received since it was created. */
export function missedOf(webhook: Webhook, health: WebhookHealth | null): RecoveryRequest {
  const parts = [{ since: webhook.created, only: 'undelivered' as const }];
  return { webhook, parts, failures: health?.failures ?? null, enables: true };
}

interface Asked {
  readonly request: RecoveryRequest;
  readonly replays: readonly CountedReplay[];
}

export interface Recovery {
  /** Counts what the request selects, and asks before anything is sent. */
  readonly ask: (request: RecoveryRequest) => void;
  /** The id of the webhook whose events are being counted, or null. */
  readonly countingId: string | null;
  /** The failure of the count, and the dialog. It belongs to a component that outlives the trouble of the webhook. */
  readonly view: ComponentChildren;
}

interface RecoveryTerms {
  readonly onStarted: (started: StartedReplay) => void;
  /** Called when something was sent, or when nothing is left to send. */
  readonly onChanged: () => void;
}

/** The recovery of webhooks: a dry run counts the events to send, and a dialog names the number before they are sent. */
export function useRecovery({ onStarted, onChanged }: RecoveryTerms): Recovery {
  const api = useApi();
  const announce = useAnnounce();
  const [countingId, setCountingId] = useState<string | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const count = useAction(async (request: RecoveryRequest) => {
    const { webhook, parts, enables } = request;
    setCountingId(webhook.id);
    const replays = await countReplays(
      api,
      parts.map((part) => ({ ...part, webhookId: webhook.id })),
    );
    if (replays.length === 0 && !enables) {
      announce('Nothing to send: the deliveries have ended meanwhile.');
      onChanged();
      return;
    }
    setAsked({ request, replays });
  });
  return {
    ask: count.run,
    countingId: count.isRunning ? countingId : null,
    view: (
      <>
        <FailureNotice failure={count.failure} />
        {asked !== null && (
          <ConfirmReplay
            webhook={asked.request.webhook}
            enables={asked.request.enables}
            replays={asked.replays}
            maybeProcessed={
              asked.request.failures === null ? null : possiblyProcessed(asked.request.failures)
            }
            onStarted={onStarted}
            onClose={() => {
              setAsked(null);
              onChanged();
            }}
          />
        )}
      </>
    ),
  };
}
